import { type KnownCaller, refuse } from '@parley/contracts'
import { subscriptionUpdate } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import { holdChannels } from '../channels/channel-store.ts'
import { inheritedBy } from './inherited-settings.ts'
import { currentMemberships } from './period-store.ts'
import type { SettingChange } from './subscription-rules.ts'
import { changeSettings } from './subscription-store.ts'

export interface PropertyChange {
  readonly stream_id: number
  readonly change: SettingChange
}

/**
 * Stores what the caller set for subscribed channels, and tells the caller's clients.
 *
 * @throws ApiError BAD_REQUEST for a channel that the caller is not subscribed to.
 */
export const changeProperties = async (
  tx: Tx<typeof subscriptionUpdate>,
  { realm, user }: KnownCaller,
  changes: readonly PropertyChange[],
): Promise<void> => {
  const ids = [...new Set(changes.map(({ stream_id }) => stream_id))]
  const audience = { realm: realm.id, users: [user.id] }
  // Told before or after the caller leaves, or the channel is archived, and as it is then.
  const channels = await holdChannels(tx.sql, realm.id, ids)
  const current = await currentMemberships(tx.sql, ids, [user.id])
  const own = new Set(current.map((pair) => pair.channel_id))
  const missing = ids.find((id) => !own.has(id))
  if (missing !== undefined) throw refuse('BAD_REQUEST', `Not subscribed to channel ID ${missing}`)
  const archived = new Set(channels.filter(({ is_archived }) => is_archived).map(({ id }) => id))
  const inherited = (await inheritedBy(tx.sql, [user.id]))(user.id)
  for (const { stream_id, change } of changes) {
    const hidden = archived.has(stream_id) ? ({ is_archived: true } as const) : {}
    await changeSettings(tx.sql, user.id, stream_id, change)
    const [[property, value]] = Object.entries(change) as [[string, boolean | string | null]]
    const meant = value === null ? { inherited: inherited[property as keyof typeof inherited] } : {}
    tx.emit(subscriptionUpdate, audience, { stream_id, property, value, ...meant, ...hidden })
    // The legacy opposite of is_muted.
    if (property === 'is_muted') {
      tx.emit(subscriptionUpdate, audience, {
        stream_id,
        property: 'in_home_view',
        value: value !== true,
        ...hidden,
      })
    }
  }
}
