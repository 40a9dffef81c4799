import { removeDefaultChannel as contract } from '@parley/contracts/channels/default-channels'
import { demandChannel } from '../channels/demand-channel.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { announceDefaultChannels } from './default-channel-announcements.ts'
import { removeDefault } from './default-channel-store.ts'

export const removeDefaultChannel = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  return transaction(async (tx) => {
    const { channel } = await demandChannel(tx.sql, realm, actor, params.stream_id, 'lock')
    if (await removeDefault(tx.sql, realm.id, channel.id)) await announceDefaultChannels(tx, realm.id)
    return {}
  })
})
