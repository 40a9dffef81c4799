import { listChannelMembers as contract } from '@parley/contracts/channels/channels'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { subscribersOf } from '../subscriptions/period-store.ts'
import { demandChannel } from './demand-channel.ts'

export const listChannelMembers = endpoint(contract, async ({ params, caller, deps }) => {
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  await database.guard(demandChannel(database.sql, realm, actor, params.stream_id, 'know'))
  const found = await database.guard(subscribersOf(database.sql, [params.stream_id]))
  return { subscribers: found.get(params.stream_id) ?? [] }
})
