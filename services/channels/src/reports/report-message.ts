import { reportMessage as contract } from '@parley/contracts/channels/message-reports'
import { readableMessages } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { sendAsBot } from '../notices/send-notices.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import { endpoint } from '../room.ts'
import { reportText } from './report-text.ts'

export const reportMessage = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database } = deps
  const description = params.description.trim()
  if (params.report_type === 'other' && description === '') {
    throw refuse('BAD_REQUEST', 'An explanation is required.')
  }
  const organization = await deps.realms.get(caller.realm.id)
  const channelId = realmSetting(organization, 'moderation_request_channel_id')
  const channel = channelId === -1 ? undefined : await deps.channels.byId(caller.realm.id, channelId)
  if (channel === undefined || channel.is_archived) {
    throw refuse('BAD_REQUEST', 'Moderation request channel must be specified to enable message reporting.')
  }
  const { realm, person } = await readerOf(deps, caller)
  const [message] = await database.guard(
    readableMessages(database.sql, realm.id, person, [params.message_id]),
  )
  if (message === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  const people = await deps.users.byIds(realm.id, [
    caller.user.id,
    message.sender_id,
    ...(message.user_ids ?? []),
  ])
  const sender = people.get(message.sender_id)
  const topicsPolicy =
    channel.topics_policy === 'inherit' ? realmSetting(organization, 'topics_policy') : channel.topics_policy
  await sendAsBot(deps, {
    realm_id: realm.id,
    bot: 'notification',
    channel_id: channel.id,
    topic: topicsPolicy === 'empty_topic_only' ? '' : `${sender?.full_name ?? 'unknown'} moderation`,
    user_ids: null,
    content: reportText({
      reporterId: caller.user.id,
      people,
      message,
      realmUrl: realm.url,
      type: params.report_type,
      description,
    }),
  })
  return {}
})
