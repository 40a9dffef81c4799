import { setTimeout as pause } from 'node:timers/promises'
import type { FetchedBatch } from './membership.ts'
import { PositionMovedError } from './membership.ts'
import type { ReceivedRecord } from './received-record.ts'
import { isEngineAway } from './waiting-for-engines.ts'

/** How often a record is tried before it is set aside. */
const maxAttempts = 5

/** A record that can never be handled, however often it is tried: it is not what its topic holds. */
export class UnreadableRecordError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'UnreadableRecordError'
  }
}

/**
 * Has records handled in portions. When a portion fails, its records are handled one by one, so that a bad one is found
 * and set aside after five attempts, without holding up the others. Throws when an engine is away: what is not done
 * then is to be handed over again.
 */
export const handOver = async (
  batch: FetchedBatch,
  steps: {
    /** Records per portion. */
    portion: number
    /** Handles records, all or none; the position after them is stored with their effect. */
    handle: (records: readonly ReceivedRecord[], nextOffset: number) => Promise<void>
    /** Keeps a record that cannot be handled, with the reason, and stores the position after it. */
    setAside: (record: ReceivedRecord, error: unknown, attempts: number) => Promise<void>
  },
): Promise<void> => {
  const { records, isOurs, advance } = batch
  for (let first = 0; first < records.length && isOurs(); first += steps.portion) {
    const portion = records.slice(first, first + steps.portion)
    const isLast = first + steps.portion >= records.length
    const nextOffset = isLast ? batch.nextOffset : portion.at(-1)!.offset + 1
    try {
      await steps.handle(portion, nextOffset)
    } catch (error) {
      if (isNobodysFault(error)) throw error
      for (const record of portion) {
        if (!isOurs()) return
        await handleAlone(batch, steps, record)
        advance(record.offset + 1)
      }
    }
    advance(nextOffset)
  }
}

const handleAlone = async (
  batch: FetchedBatch,
  steps: Parameters<typeof handOver>[1],
  record: ReceivedRecord,
): Promise<void> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await steps.handle([record], record.offset + 1)
    } catch (error) {
      if (isNobodysFault(error)) throw error
      batch.attempted()
      if (attempts === maxAttempts || error instanceof UnreadableRecordError) {
        return await steps.setAside(record, error, attempts)
      }
      await pause(50 * 2 ** attempts)
      if (!batch.isOurs()) return
    }
  }
}

/** The record is not to blame: it is as good as before. */
const isNobodysFault = (error: unknown): boolean => isEngineAway(error) || error instanceof PositionMovedError
