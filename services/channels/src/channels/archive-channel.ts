import { archiveChannel as contract } from '@parley/contracts/channels/channels'
import { announceDefaultChannels } from '../default-channels/default-channel-announcements.ts'
import { removeDefault } from '../default-channels/default-channel-store.ts'
import { mayAdministerChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { viewersOf } from '../subscriptions/subscription-store.ts'
import { announceArchival } from './channel-announcements.ts'
import { writeFarewell } from './channel-messages.ts'
import { changeChannel } from './channel-store.ts'
import { demandChannel } from './demand-channel.ts'

export const archiveChannel = endpoint(contract, async ({ params, caller, deps, transaction, refuse }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const sayFarewell = await writeFarewell(deps, caller, realm)
  return transaction(async (tx) => {
    const { channel } = await demandChannel(tx.sql, realm, actor, params.stream_id, 'lock')
    if (!mayAdministerChannel(actor, channel)) {
      throw refuse('CANNOT_ADMINISTER_CHANNEL', 'You do not have permission to administer this channel.')
    }
    if (channel.is_archived) throw refuse('BAD_REQUEST', 'Channel is already archived.')
    const archived = await changeChannel(tx.sql, channel, { is_archived: true })
    await announceArchival(tx, realm, archived, await viewersOf(tx.sql, realm, archived))
    if (await removeDefault(tx.sql, realm.id, channel.id)) await announceDefaultChannels(tx, realm.id)
    await sayFarewell(tx, archived)
    tx.afterCommit(() => deps.channels.forget(channel.id))
    return {}
  })
})
