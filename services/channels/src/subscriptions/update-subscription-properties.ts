import { updateSubscriptionProperties as contract } from '@parley/contracts/channels/subscriptions'
import { endpoint } from '../room.ts'
import { changeProperties } from './change-properties.ts'
import { settingChange } from './subscription-rules.ts'

export const updateSubscriptionProperties = endpoint(contract, async ({ params, caller, transaction }) => {
  const changes = params.subscription_data.map(({ stream_id, property, value }) => ({
    stream_id,
    change: settingChange(property, value),
  }))
  await transaction((tx) => changeProperties(tx, caller, changes))
  return {}
})
