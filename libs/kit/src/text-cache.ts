import { LRUCache } from 'lru-cache'

/**
 * Texts that many answers have in common, each under a name that says of which state of what it was written: a name never
 * means two texts, so nothing in here can be out of date, only no longer asked for.
 */
export interface TextCache {
  get(name: string): string | undefined
  set(name: string, text: string): unknown
}

/** Bytes that an entry takes besides its characters. */
const perEntry = 150

/** Holds at most so much; forgets first what was not asked for the longest. */
export const textCache = (mebibytes: number): TextCache =>
  new LRUCache<string, string>({
    maxSize: mebibytes * 1024 * 1024,
    // A character takes one byte, or two: in a text with any that is beyond Latin-1.
    sizeCalculation: (text, name) => 2 * (text.length + name.length) + perEntry,
  })
