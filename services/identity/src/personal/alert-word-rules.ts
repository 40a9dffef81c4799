import { limits } from '@parley/contracts'
import type { Finding } from '../users/user-rules.ts'

const folded = (word: string): string => word.toLowerCase()

/** What a client sent, without the spaces around words, empty words and repetitions. */
export const cleanWords = (words: readonly string[]): string[] => [
  ...new Map(
    words.flatMap((sent) => {
      const word = sent.trim()
      return word === '' ? [] : [[folded(word), word] as const]
    }),
  ).values(),
]

/** The words after some were added; a word that is there already, in whatever case, stays as it is. */
export const withWords = (words: readonly string[], added: readonly string[]): string[] => {
  const known = new Set(words.map(folded))
  return [...words, ...added.filter((word) => !known.has(folded(word)))]
}

export const withoutWords = (words: readonly string[], removed: readonly string[]): string[] => {
  const gone = new Set(removed.map(folded))
  return words.filter((word) => !gone.has(folded(word)))
}

export const alertWordsFinding = (words: readonly string[]): Finding =>
  words.length > limits.maxAlertWords
    ? `There can be ${limits.maxAlertWords} alert words at most.`
    : undefined
