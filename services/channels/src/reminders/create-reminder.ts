import { limits } from '@parley/contracts'
import { remindersAdd } from '@parley/contracts/channels/events'
import { createReminder as contract } from '@parley/contracts/channels/reminders'
import { renderText } from '../messages/render-text.ts'
import { endpoint } from '../room.ts'
import { demandFuture } from '../scheduler/delivery-time.ts'
import { insertReminder } from './reminder-store.ts'
import { reminderTarget } from './reminder-target.ts'
import { reminderNote, reminderText } from './reminder-text.ts'

export const createReminder = endpoint(contract, async ({ params, caller, deps, refuse, transaction }) => {
  const due_at = demandFuture(params.scheduled_delivery_timestamp)
  const note = reminderNote(params.note)
  const target = await reminderTarget(deps, caller.realm, caller.user, params.message_id)
  if (target === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  const content = reminderText(target, note)
  const { rendered } = await renderText(deps, caller.realm, content)
  return transaction(async (tx) => {
    const reminder = await insertReminder(
      tx.sql,
      {
        realm_id: caller.realm.id,
        user_id: caller.user.id,
        message_id: params.message_id,
        note,
        content,
        rendered_content: rendered.html,
        due_at,
      },
      limits.maxReminders,
    )
    if (reminder === undefined) {
      throw refuse('BAD_REQUEST', `You can't have more than ${limits.maxReminders} reminders.`)
    }
    tx.emit(remindersAdd, { realm: caller.realm.id, users: [caller.user.id] }, { reminders: [reminder] })
    tx.afterCommit(deps.bell.ring)
    return { reminder_id: reminder.reminder_id }
  })
})
