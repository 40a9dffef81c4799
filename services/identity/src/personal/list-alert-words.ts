import { listAlertWords as contract } from '@parley/contracts/identity/alert-words'
import { endpoint } from '../room.ts'
import { personalOf } from './personal-store.ts'

export const listAlertWords = endpoint(contract, async ({ caller, deps }) => ({
  alert_words: [...(await personalOf(deps.database.sql, caller.user.id)).alert_words],
}))
