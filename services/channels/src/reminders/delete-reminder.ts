import { remindersRemove } from '@parley/contracts/channels/events'
import { deleteReminder as contract } from '@parley/contracts/channels/reminders'
import { endpoint } from '../room.ts'
import { removeReminder } from './reminder-store.ts'

export const deleteReminder = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { reminder_id } = params
    if (!(await removeReminder(tx.sql, caller.user.id, reminder_id))) {
      throw refuse('RESOURCE_NOT_FOUND', 'Reminder does not exist')
    }
    tx.emit(remindersRemove, { realm: caller.realm.id, users: [caller.user.id] }, { reminder_id })
    return {}
  }),
)
