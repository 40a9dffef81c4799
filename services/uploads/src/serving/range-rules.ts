/** Bytes `offset` to `offset + length - 1`. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/**
 * Reads a Range header (RFC 9110, section 14.2) for something of `size` bytes. Undefined when all of it is to be sent:
 * no range, one that is malformed, several at once.
 */
export const readRange = (
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length }
  }
  const offset = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < offset) return undefined
  return offset >= size ? 'unsatisfiable' : { offset, length: end - offset + 1 }
}

/** Whether a list of entity tags (If-None-Match) holds this one; compared weakly, as the RFC says. */
export const namesTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' ||
    header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag.replace(/^W\//, '')))
