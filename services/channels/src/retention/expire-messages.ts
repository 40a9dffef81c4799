import { limits } from '@parley/contracts'
import type { Tx } from '@parley/kit'
import { Counter } from 'prom-client'
import type { Deps } from '../room.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { takeDue } from '../scheduler/take-due.ts'
import {
  boundedConversations,
  claimRetention,
  expiredMessages,
  type RetentionProgress,
  removeArchived,
  secondsToRetention,
  storeRetentionProgress,
} from './retention-store.ts'
import { takeAway } from './take-away.ts'

/** Messages that one transaction archives: as many events as a client without the capability receives at once. */
const messagesAtATime = 500
const archivedRowsAtATime = 5000
/** Seconds between two rounds through all conversations. */
const pauseBetweenRounds = 6 * 3600
/** Seconds after something unforeseen. */
const pauseAfterFailure = 300

const expired = new Counter({
  name: 'parley_retention_rows_total',
  help: 'Messages archived because they were too old, and archived rows removed for good.',
  labelNames: ['step'],
})

/**
 * Archives messages that are older than their channel or organization keeps them, and removes for good what has been
 * archived for long enough. A round is many small steps; each is a transaction that holds the one row of the progress, so
 * one process works at a time, and another goes on where one ended.
 */
export const retentionWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'retention',
    takeOne: () =>
      takeDue<RetentionProgress>({
        name: 'retention',
        database,
        log,
        claim: claimRetention,
        perform: (tx, progress) => step(deps, tx, progress),
        putOff: (sql) => storeRetentionProgress(sql, 0, pauseAfterFailure),
      }),
    secondsToNext: () => database.guard(secondsToRetention(database.sql)),
  }
}

const step = async (deps: Deps, tx: Tx, { after_recipient_id }: RetentionProgress): Promise<string> => {
  const { found, isLast } = await boundedConversations(tx.sql, after_recipient_id)
  const conversation = found.find((one) => one.has_expired)
  if (conversation !== undefined) {
    const { recipient_id, days } = conversation
    const taken = await takeAway(deps, tx, conversation, () =>
      expiredMessages(tx.sql, recipient_id, days, messagesAtATime),
    )
    expired.inc({ step: 'archived' }, taken)
    // There may be more in it.
    await storeRetentionProgress(tx.sql, recipient_id - 1, 0)
    return 'archived'
  }
  if (!isLast) {
    await storeRetentionProgress(tx.sql, found.at(-1)!.recipient_id, 0)
    return 'looked'
  }
  const removed = await removeArchived(tx.sql, limits.deletedMessageVacuumDays, archivedRowsAtATime)
  expired.inc({ step: 'removed' }, removed)
  const isOver = removed < archivedRowsAtATime
  const lastId = isOver ? 0 : (found.at(-1)?.recipient_id ?? after_recipient_id)
  await storeRetentionProgress(tx.sql, lastId, isOver ? pauseBetweenRounds : 0)
  return isOver ? 'round over' : 'removed'
}
