import { listReminders as contract } from '@parley/contracts/channels/reminders'
import { endpoint } from '../room.ts'
import { remindersOf } from './reminder-store.ts'

export const listReminders = endpoint(contract, async ({ caller, deps: { database } }) => ({
  reminders: await database.guard(remindersOf(database.sql, caller.user.id)),
}))
