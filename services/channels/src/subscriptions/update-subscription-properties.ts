import { subscriptionUpdate } from '@parley/contracts/channels/events'
import { updateSubscriptionProperties as contract } from '@parley/contracts/channels/subscriptions'
import { endpoint } from '../room.ts'
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
      for (const { stream_id, change } of changes) {
        await changeSettings(tx.sql, caller.user.id, stream_id, change)
        const [[property, value]] = Object.entries(change) as [[string, boolean | string | null]]
        tx.emit(subscriptionUpdate, audience, { stream_id, property, value })
        // The legacy opposite of is_muted.
        if (property === 'is_muted') {
          tx.emit(subscriptionUpdate, audience, {
            stream_id,
            property: 'in_home_view',
            value: value !== true,
          })
        }
      }
      return {}
    })
  },
)
