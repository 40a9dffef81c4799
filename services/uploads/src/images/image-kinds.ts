/** Where a kind of image says what it is. */
const signatures: readonly { kind: string; at: number; text: string }[] = [
  { kind: 'png', at: 0, text: '\x89PNG\r\n\x1a\n' },
  { kind: 'jpeg', at: 0, text: '\xff\xd8\xff' },
  { kind: 'gif', at: 0, text: 'GIF87a' },
  { kind: 'gif', at: 0, text: 'GIF89a' },
  { kind: 'webp', at: 8, text: 'WEBP' },
  { kind: 'avif', at: 4, text: 'ftypavif' },
  { kind: 'avif', at: 4, text: 'ftypavis' },
  { kind: 'tiff', at: 0, text: 'II*\0' },
  { kind: 'tiff', at: 0, text: 'MM\0*' },
]

/**
 * The kind of an image by its first bytes, whatever its name and sender say. Undefined for everything else, drawings that
 * are programs (SVG, PostScript, PDF) first of all: nothing of that reaches a decoder.
 */
export const imageKind = (bytes: Buffer): string | undefined =>
  signatures.find(({ at, text }) => bytes.toString('latin1', at, at + text.length) === text)?.kind
