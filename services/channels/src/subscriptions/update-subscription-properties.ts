import { subscriptionUpdate } from '@parley/contracts/channels/events'
import { updateSubscriptionProperties as contract } from '@parley/contracts/channels/subscriptions'
import { channelsByIds } from '../channels/channel-store.ts'
import { endpoint } from '../room.ts'
import { inheritedBy } from './inherited-settings.ts'
import { currentMemberships } from './period-store.ts'
import { settingChange } from './subscription-rules.ts'
import { changeSettings } from './subscription-store.ts'

export const updateSubscriptionProperties = endpoint(
  contract,
  async ({ params, caller, transaction, refuse }) => {
    const changes = params.subscription_data.map(({ stream_id, property, value }) => ({
      stream_id,
      change: settingChange(property, value),
    }))
    const ids = [...new Set(changes.map(({ stream_id }) => stream_id))]
    const audience = { realm: caller.realm.id, users: [caller.user.id] }
    return transaction(async (tx) => {
      const current = await currentMemberships(tx.sql, ids, [caller.user.id])
      const own = new Set(current.map((pair) => pair.channel_id))
      const missing = ids.find((id) => !own.has(id))
      if (missing !== undefined) throw refuse('BAD_REQUEST', `Not subscribed to channel ID ${missing}`)
      const archived = new Set(
        (await channelsByIds(tx.sql, caller.realm.id, ids))
          .filter((channel) => channel.is_archived)
          .map((channel) => channel.id),
      )
      const inherited = (await inheritedBy(tx.sql, [caller.user.id]))(caller.user.id)
      for (const { stream_id, change } of changes) {
        const hidden = archived.has(stream_id) ? ({ is_archived: true } as const) : {}
        await changeSettings(tx.sql, caller.user.id, stream_id, change)
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
      return {}
    })
  },
)
