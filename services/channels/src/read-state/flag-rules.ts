/** Which flags people set themselves; no I/O. */
import { refuse } from '@parley/contracts'
import { flagBits } from '../messages/message-flags.ts'

/** Flags that are kept as bits; `read` is kept otherwise. */
const kept = { starred: flagBits.starred, collapsed: flagBits.collapsed } as const
export type SettableFlag = 'read' | keyof typeof kept

/** @throws ApiError BAD_REQUEST for flags that there are not, and those that only the server sets. */
export const settableFlag = (flag: string): SettableFlag => {
  if (flag === 'read' || Object.hasOwn(kept, flag)) return flag as SettableFlag
  if (Object.hasOwn(flagBits, flag) || flag === 'wildcard_mentioned') {
    throw refuse('BAD_REQUEST', `Flag not editable: '${flag}'`)
  }
  throw refuse('BAD_REQUEST', `Invalid flag: '${flag}'`)
}

export const bitOf = (flag: keyof typeof kept): number => kept[flag]
