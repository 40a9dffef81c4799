/** Text and tags of HTML that was written by libs/markdown, taken apart and put together again; no I/O. */

/** Stands for a tag; no content has it, since control characters are not stored. */
const tagPlace = '\u0001'
const tag = /<[^>]*>/g

export interface Segments {
  /** The text, with a mark for each tag. */
  readonly text: string
  readonly tags: readonly string[]
}

export const contentSegments = (html: string): Segments => ({
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  text: html.replace(/[\u0001-\u0003]/g, ' ').replace(tag, ` ${tagPlace} `),
  tags: html.match(tag) ?? [],
})

/** Puts the tags back into a text that still has their marks; without them all, the text was damaged. */
export const joinSegments = (segments: Segments, text: string): string => {
  const parts = text.split(` ${tagPlace} `)
  if (parts.length !== segments.tags.length + 1) return joinSegments(segments, segments.text)
  return parts.map((part, place) => part + (segments.tags[place] ?? '')).join('')
}
