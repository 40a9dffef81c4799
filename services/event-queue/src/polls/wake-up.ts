import type { Delivery } from '../shards/append-plan.ts'

/** What the append script tells every process: which records went to which queues. */
export interface Appended {
  /** The shard's log between these offsets has been applied. */
  readonly from: number
  readonly to: number
  /** When the owner sent the script: milliseconds since the epoch. */
  readonly at: number
  readonly groups: readonly Delivery[]
  readonly offsets: readonly number[]
  readonly settled: readonly number[]
  /** Stored texts of `offsets`. */
  readonly texts: readonly string[]
}

export type WakeUp = Appended | { readonly closed: readonly number[] }

/** Between the parts; JSON text never holds it. */
const separator = '\x1e'

export const readWakeUp = (message: string): WakeUp => {
  const [plan, ...texts] = message.split(separator)
  const wakeUp = JSON.parse(plan!) as Omit<Appended, 'texts'> | { closed: number[] }
  return 'closed' in wakeUp ? wakeUp : { ...wakeUp, texts }
}
