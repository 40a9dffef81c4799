/** A user name and an API key, as HTTP Basic carries them. */
export interface BasicCredentials {
  readonly email: string
  readonly apiKey: string
}

/**
 * Reads an Authorization header. Undefined for anything but well-formed Basic credentials (RFC 7617): another
 * scheme, text that is not base64, no colon, or control characters.
 */
export const basicCredentials = (authorization: string): BasicCredentials | undefined => {
  const match = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)
  if (match === null) return undefined
  const pair = Buffer.from(match[1]!, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 7617 forbids exactly these.
  if (colon <= 0 || /[\x00-\x1f\x7f\ufffd]/.test(pair)) return undefined
  return { email: pair.slice(0, colon), apiKey: pair.slice(colon + 1) }
}
