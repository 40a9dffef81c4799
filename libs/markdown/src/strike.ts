import type { StateInline } from 'markdown-it'

const TILDE = 0x7e

/**
 * `~~struck~~`, also with spaces inside the marks: any two tildes may open or close. Another number of tildes is text.
 * The tags are made by markdown-it's own second pass.
 */
export function strikeRule(state: StateInline): boolean {
  const start = state.pos
  let end = start
  while (end < state.posMax && state.src.charCodeAt(end) === TILDE) end++
  if (end === start) return false
  state.pos = end
  if (end - start !== 2) {
    state.pending += state.src.slice(start, end)
    return true
  }
  state.push('text', '', 0).content = '~~'
  const token = state.tokens.length - 1
  state.delimiters.push({ marker: TILDE, length: 0, token, end: -1, open: true, close: true })
  return true
}
