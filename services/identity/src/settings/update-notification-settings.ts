import { updateNotificationSettings as contract } from '@parley/contracts/identity/settings'
import { endpoint } from '../room.ts'
import { applySettings } from './apply-settings.ts'

export const updateNotificationSettings = endpoint(contract, applySettings)
