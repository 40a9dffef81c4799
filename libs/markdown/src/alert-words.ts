import type { AlertWords } from './context.ts'

const WORDS = /[\p{L}\p{N}]+/gu

interface Prepared {
  original: string
  folded: string
  /** How far into the alert word its first run of letters begins. */
  offset: number
}

/**
 * Prepares alert words (of one user, or of all users at once) so that a text is searched in one pass whatever
 * their number. Words match whole and regardless of case; `c++` and phrases are words too.
 */
export function compileAlertWords(words: Iterable<string>): AlertWords {
  const byFirstRun = new Map<string, Prepared[]>()
  const withoutLetters: Prepared[] = []
  for (const original of new Set(words)) {
    const folded = original.trim().toLowerCase()
    if (folded === '') continue
    const first = folded.match(WORDS)?.[0]
    const prepared = { original, folded, offset: first === undefined ? 0 : folded.indexOf(first) }
    if (first === undefined) withoutLetters.push(prepared)
    else byFirstRun.set(first, [...(byFirstRun.get(first) ?? []), prepared])
  }
  return {
    in(text) {
      if (byFirstRun.size === 0 && withoutLetters.length === 0) return []
      const folded = text.toLowerCase()
      const found = new Set<string>()
      for (const run of folded.matchAll(WORDS)) {
        for (const word of byFirstRun.get(run[0]) ?? []) {
          const start = run.index - word.offset
          if (
            start >= 0 &&
            folded.startsWith(word.folded, start) &&
            standsApart(folded, start, word.folded)
          ) {
            found.add(word.original)
          }
        }
      }
      for (const word of withoutLetters) if (folded.includes(word.folded)) found.add(word.original)
      return [...found]
    },
  }
}

const LETTER = /[\p{L}\p{N}]/u

/** Whether what is before and after is not more of the same word; a mark needs no gap beside it. */
function standsApart(text: string, start: number, word: string): boolean {
  const end = start + word.length
  const before = start > 0 && LETTER.test(text[start - 1]!) && LETTER.test(word[0]!)
  const after = end < text.length && LETTER.test(text[end]!) && LETTER.test(word.at(-1)!)
  return !before && !after
}
