/**
 * Sequence numbers of a source's announcements. A relay fixes a batch before it publishes it, so a successor that
 * repeats the batch repeats its numbers, and a consumer that keeps the highest one drops what it has seen.
 */

/** More rows than a batch ever holds; batch numbers grow like milliseconds, so the product stays below 2^53. */
const batchSpan = 2 ** 12

export const sequenceOf = (batch: number, index: number): number => batch * batchSpan + index

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
