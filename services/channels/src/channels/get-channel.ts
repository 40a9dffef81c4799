import { getChannel as contract } from '@parley/contracts/channels/channels'
import { findActor } from '../permissions/find-actor.ts'
import { withShownSettings } from '../permissions/shown-settings.ts'
import { endpoint } from '../room.ts'
import { presentChannel } from './channel-presentation.ts'
import { activityOf } from './channel-store.ts'
import { demandChannel } from './demand-channel.ts'

export const getChannel = endpoint(contract, async ({ params, caller, deps }) => {
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const { channel } = await database.guard(
    demandChannel(database.sql, realm, actor, params.stream_id, 'know'),
  )
  const [shown] = await database.guard(withShownSettings(database.sql, [channel]))
  const [activity] = await database.guard(activityOf(database.sql, [channel.id]))
  return { stream: presentChannel(shown!, activity!, realm.system_groups, Math.floor(Date.now() / 1000)) }
})
