import { getMessageHistory as contract } from '@parley/contracts/channels/message-changes'
import { shownTopic } from '@parley/contracts/objects/message'
import { readableMessages } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import { endpoint } from '../room.ts'
import { historyOf } from './message-history.ts'

export const getMessageHistory = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const policy = realmSetting(realm, 'message_edit_history_visibility_policy')
  if (policy === 'none') throw refuse('BAD_REQUEST', 'Message edit history is disabled in this organization')
  const { database } = deps
  const { person } = await readerOf(deps, caller)
  const [message] = await database.guard(
    readableMessages(database.sql, realm.id, person, [params.message_id]),
  )
  if (message === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  const wants = { empty_topic_name: params.allow_empty_topic_name || message.channel_id === null }
  const message_history = historyOf(message, policy).map(({ topic, prev_topic, ...entry }) => ({
    ...entry,
    topic: shownTopic(topic, wants),
    ...(prev_topic === undefined ? {} : { prev_topic: shownTopic(prev_topic, wants) }),
  }))
  return { message_history }
})
