import { getChannelEmail as contract } from '@parley/contracts/channels/channels'
import { demandMaySend } from '../messages/send-to-channel.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { demandChannel } from './demand-channel.ts'

/** The server takes no mail (there is no gateway to configure), which clients read from an empty address. */
const noAddress = ''

export const getChannelEmail = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  await database.guard(demandChannel(database.sql, realm, actor, params.stream_id, 'know'))
  if (params.sender_id !== undefined && params.sender_id !== caller.user.id) {
    const sender = (await deps.users.byIds(realm.id, [params.sender_id])).get(params.sender_id)
    if (sender === undefined || !sender.is_active || sender.bot_owner_id !== caller.user.id) {
      throw refuse('BAD_REQUEST', 'Invalid user ID')
    }
  }
  await demandMaySend(deps, caller, params.stream_id).catch((error: unknown) => {
    throw (error as { error?: string }).error === 'STREAM_WITH_ID_DOES_NOT_EXIST'
      ? refuse('BAD_REQUEST', 'Invalid channel ID')
      : error
  })
  return { email: noAddress }
})
