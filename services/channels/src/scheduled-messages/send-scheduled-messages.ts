import { ApiError, limits, refuse } from '@parley/contracts'
import { scheduledMessagesRemove, scheduledMessagesUpdate } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import { sendText } from '../messages/send-text.ts'
import { insertNotices } from '../notices/notice-store.ts'
import type { Deps } from '../room.ts'
import { actingAccount } from '../scheduler/callers.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { senderIn, withSender } from '../scheduler/senders.ts'
import { takeDue } from '../scheduler/take-due.ts'
import { presentScheduledMessage } from './scheduled-message-presentation.ts'
import {
  claimScheduledMessage,
  type DueRow,
  failScheduledMessage,
  putOffScheduledMessage,
  removeScheduledMessage,
  secondsToNextScheduledMessage,
} from './scheduled-message-store.ts'

/** Sends scheduled messages at their time, each once, as its author may send it then. */
export const scheduledMessageWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'scheduled message',
    takeOne: () =>
      takeDue<DueRow>({
        name: 'scheduled message',
        database,
        log,
        claim: claimScheduledMessage,
        perform: (tx, row) => sendOrFail(deps, tx, row),
        putOff: putOffScheduledMessage,
      }),
    secondsToNext: () => database.guard(secondsToNextScheduledMessage(database.sql)),
  }
}

const sendOrFail = async (deps: Deps, tx: Tx, row: DueRow): Promise<string> => {
  try {
    await send(withSender(deps, senderIn(tx, deps.database)), row)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    await fail(deps, tx, row, error)
    return 'failed'
  }
  await removeScheduledMessage(tx.sql, row.user_id, row.id)
  const to = { realm: row.realm_id, users: [row.user_id] }
  tx.emit(scheduledMessagesRemove, to, { scheduled_message_id: row.id })
  return 'sent'
}

const send = async (deps: Deps, row: DueRow): Promise<void> => {
  const { caller, sender } = await actingAccount(deps, row.realm_id, row.user_id, row.client)
  if (row.late_seconds > limits.scheduledMessageLateMinutes * 60) {
    throw refuse('BAD_REQUEST', 'Message could not be sent at the scheduled time.')
  }
  await sendText(deps, caller, sender, {
    to: row.type === 'stream' ? row.recipients[0]! : row.recipients,
    isDirect: row.type === 'private',
    topic: row.topic,
    content: row.content,
    readBySender: row.read_by_sender,
    localName: undefined,
  })
}

/** Keeps it with the reason, and tells its author, who can give it a new time. */
const fail = async (deps: Deps, tx: Tx, row: DueRow, { error, message }: ApiError): Promise<void> => {
  const failed = await failScheduledMessage(tx.sql, row.id, message)
  const to = { realm: row.realm_id, users: [row.user_id] }
  tx.emit(scheduledMessagesUpdate, to, { scheduled_message: presentScheduledMessage(failed) })
  if (error === 'REALM_DEACTIVATED' || error === 'USER_DEACTIVATED') return
  const time = new Date(row.due_at * 1000).toISOString()
  await insertNotices(tx.sql, [
    {
      realm_id: row.realm_id,
      bot: 'notification',
      to: { user_ids: [row.user_id] },
      content: `The message that you scheduled for <time:${time}> was not sent, because of this error:\n\n> ${message}\n\nYou find it among your scheduled messages, where you can change it and give it a new time.`,
    },
  ])
  tx.afterCommit(deps.bell.ring)
}
