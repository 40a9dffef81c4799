import { addDefaultChannel as contract } from '@parley/contracts/channels/default-channels'
import { demandChannel } from '../channels/demand-channel.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { announceDefaultChannels } from './default-channel-announcements.ts'
import { addDefault } from './default-channel-store.ts'

export const addDefaultChannel = endpoint(contract, async ({ params, caller, deps, transaction, refuse }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  return transaction(async (tx) => {
    const { channel } = await demandChannel(tx.sql, realm, actor, params.stream_id, 'lock')
    if (channel.is_archived) throw refuse('BAD_REQUEST', 'Invalid channel ID')
    if (channel.invite_only) throw refuse('BAD_REQUEST', 'Private channels cannot be made default.')
    if (await addDefault(tx.sql, realm.id, channel.id)) await announceDefaultChannels(tx, realm.id)
    return {}
  })
})
