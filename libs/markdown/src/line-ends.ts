import type { StateInline } from 'markdown-it'

/** How many delimiters of a list have been passed by a line end. */
const passed = new WeakMap<StateInline['delimiters'], number>()

/** Marks of emphasis do not reach over a line end: what was opened before it stays text. Never takes the character. */
export function lineEndRule(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== 0x0a) return false
  const { delimiters } = state
  for (let index = passed.get(delimiters) ?? 0; index < delimiters.length; index++)
    delimiters[index]!.open = false
  passed.set(delimiters, delimiters.length)
  return false
}
