/**
 * Sequence numbers of a source's announcements. A relay records a batch with its numbers before it publishes it, so a
 * successor that repeats the batch repeats its numbers, and a consumer that keeps the highest one drops what it has seen.
 */

/**
 * No announcement gets a lower number from now on. The numbers grow with the clock (milliseconds since 2020, times
 * 4096, below 2^53 until 2089), so a database that was restored from an older backup goes on above every number that
 * consumers have seen. Nobody announces 4096 things a millisecond.
 */
export const sequenceFloor = (now: number = Date.now()): number => (now - Date.UTC(2020)) * 4096

export interface SequencedHeaders {
  readonly source?: string | undefined
  readonly seq?: number | undefined
}

/** The highest sequence number seen of each source, in one partition. */
export type SeenSequences = Record<string, number>

/** Whether a record is a repetition; otherwise its number is noted. */
export const isRepeated = (seen: SeenSequences, { source, seq }: SequencedHeaders): boolean => {
  if (source === undefined || seq === undefined) return false
  if (seq <= (seen[source] ?? -1)) return true
  seen[source] = seq
  return false
}
