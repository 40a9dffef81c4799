/** A value as a part of an entry's name (RFC 4514, section 2.4): whatever it holds, it stays one value. */
export const escapeDnValue = (value: string): string =>
  [...Buffer.from(value, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9._@-]/.test(character) ? character : `\\${byte.toString(16).padStart(2, '0')}`
    })
    .join('')

/** The first value of an attribute, as text; empty when there is none. */
export const textOf = (value: Buffer | Buffer[] | string | string[] | undefined): string => {
  const [first] = Array.isArray(value) ? value : [value]
  return first === undefined ? '' : first.toString().trim()
}
