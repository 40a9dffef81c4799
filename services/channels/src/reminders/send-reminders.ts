import { ApiError } from '@parley/contracts'
import { remindersRemove } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import { sendAsBot } from '../notices/send-notices.ts'
import type { Deps } from '../room.ts'
import { actingAccount } from '../scheduler/callers.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { senderIn, withSender } from '../scheduler/senders.ts'
import { takeDue } from '../scheduler/take-due.ts'
import {
  claimReminder,
  type DueReminder,
  failReminder,
  putOffReminder,
  removeReminder,
  secondsToNextReminder,
} from './reminder-store.ts'
import { reminderTarget } from './reminder-target.ts'
import { reminderText } from './reminder-text.ts'

/** Sends reminders at their time, each once, with what its reader may read of the message then. */
export const reminderWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'reminder',
    takeOne: () =>
      takeDue<DueReminder>({
        name: 'reminder',
        database,
        log,
        claim: claimReminder,
        perform: (tx, row) => sendOrFail(deps, tx, row),
        putOff: putOffReminder,
      }),
    secondsToNext: () => database.guard(secondsToNextReminder(database.sql)),
  }
}

const sendOrFail = async (deps: Deps, tx: Tx, row: DueReminder): Promise<string> => {
  const { realm_id, user_id } = row
  try {
    const { caller } = await actingAccount(deps, realm_id, user_id, 'Internal')
    const target = await reminderTarget(deps, caller.realm, caller.user, row.message_id)
    await sendAsBot(withSender(deps, senderIn(tx, deps.database)), {
      realm_id,
      bot: 'notification',
      channel_id: null,
      topic: null,
      user_ids: [user_id],
      content: reminderText(target, row.note),
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    // Only who is not here any more cannot be reminded.
    await failReminder(tx.sql, row.id, error.message)
    return 'failed'
  }
  await removeReminder(tx.sql, user_id, row.id)
  tx.emit(remindersRemove, { realm: realm_id, users: [user_id] }, { reminder_id: row.id })
  return 'sent'
}
