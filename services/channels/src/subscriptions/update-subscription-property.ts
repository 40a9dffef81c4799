import { updateSubscriptionProperty as contract } from '@parley/contracts/channels/subscriptions'
import { endpoint } from '../room.ts'
import { changeProperties } from './change-properties.ts'
import { settingChange } from './subscription-rules.ts'

export const updateSubscriptionProperty = endpoint(contract, async ({ params, caller, transaction }) => {
  const { stream_id, property, value } = params
  const change = settingChange(property, value)
  await transaction((tx) => changeProperties(tx, caller, [{ stream_id, change }]))
  return {}
})
