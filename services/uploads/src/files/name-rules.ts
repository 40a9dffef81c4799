import { randomBytes } from 'node:crypto'

/** What a file is called that has no usable name. */
const fallback = 'uploaded-file'
/** Code points of a stored name. */
const maxNameLength = 255
/** Bytes of the last part of an address, before percent-encoding. */
const maxPathBytes = 200
/** Code points of an ending that is kept when a name is cut. */
const maxEnding = 20

/** Control characters, and those that make text read in another order than it is in. */
const misleading =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

const isNothing = (name: string): boolean => /^[.\s-]*$/.test(name)

/** Cuts a name where `fits` says so, in the middle, so that its ending stays. */
const shortened = (name: string, fits: (name: string) => boolean): string => {
  if (fits(name)) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && [...name.slice(dot)].length <= maxEnding ? name.slice(dot) : ''
  const characters = [...name.slice(0, name.length - ending.length)]
  while (characters.length > 0 && !fits(characters.join('') + ending)) characters.pop()
  return characters.join('') + ending
}

/** What a file is called, from what the client called it: shown to people, never a path. */
export const storedName = (sent: string): string => {
  const last = sent.toWellFormed().split(/[/\\]/).at(-1)!
  const name = last.replace(misleading, '').trim()
  return isNothing(name) ? fallback : shortened(name, (text) => [...text].length <= maxNameLength)
}

/** The last part of a file's address: letters, marks, digits, `_`, `.` and `-` of any script. */
export const nameInPath = (name: string): string => {
  const kept = name
    .normalize('NFKC')
    .replace(/\s+/gu, '-')
    .replace(/[^\p{L}\p{M}\p{N}_.-]/gu, '')
  return isNothing(kept) ? fallback : shortened(kept, (text) => Buffer.byteLength(text) <= maxPathBytes)
}

/** A new place for a file: nobody guesses it. */
export const newPathId = (realmId: number, name: string): string =>
  `${realmId}/${randomBytes(1).toString('hex')}/${randomBytes(18).toString('base64url')}/${nameInPath(name)}`

/** The parts of a place that nobody guesses, without the name. */
export const filePrefix = (pathId: string): string => pathId.split('/').slice(0, 3).join('/')

/** Where the bytes are in the store: the name is of no use there. */
export const objectKey = (pathId: string): string => `files/${filePrefix(pathId)}`
