import { ApiError } from './errors.ts'

/** Deepest nesting of arrays and objects in anything that a client sends; real clients need fewer than ten. */
const maxDepth = 100

const quote = 34
const backslash = 92

const isTooDeep = (text: string): boolean => {
  if (text.length <= maxDepth) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash && inString) at += 1
    else if (code === quote) inString = !inString
    else if (inString) continue
    // [ and {, ] and } differ by one bit each.
    else if ((code & ~0x20) === 0x5b) {
      depth += 1
      if (depth > maxDepth) return true
    } else if ((code & ~0x20) === 0x5d) depth -= 1
  }
  return false
}

/** Escapes for what text in Postgres and UTF-8 cannot hold: NUL and surrogates (whole pairs among them). */
const troublesomeEscape = /\\u(0000|d[89a-f])/i

const asStorable = (name: string, value: unknown): unknown => {
  if (name.includes('\0') || (typeof value === 'string' && value.includes('\0'))) throw nullCharacter()
  return typeof value === 'string' ? value.toWellFormed() : value
}

/** The refusal of a character that no text here can hold. */
export const nullCharacter = (): ApiError =>
  new ApiError('BAD_REQUEST', 'The request contains a null character.')

/**
 * Parses JSON from outside. Its depth is bounded, because whatever walks such a value later may do so recursively;
 * lone surrogates become U+FFFD.
 *
 * @throws SyntaxError as JSON.parse; ApiError BAD_REQUEST when it is nested too deeply or holds a null character.
 */
export const parseBoundedJson = (text: string): unknown => {
  if (isTooDeep(text)) throw new ApiError('BAD_REQUEST', 'JSON is nested too deeply.')
  return troublesomeEscape.test(text) ? JSON.parse(text, asStorable) : JSON.parse(text)
}
