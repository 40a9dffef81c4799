/** Names and attributes of the two cookies of a browser that is logged in. */
export interface Cookies {
  /** The token of the session, when there is one cookie of that name. */
  sessionToken(cookieHeader: string | undefined): string | undefined
  /** Headers that log the browser in, or (null) out: a flat list. */
  set(session: { token: string; csrfToken: string } | null): string[]
}

const csrfCookie = 'csrftoken'

/**
 * Over TLS the session's cookie has the prefix `__Host-`: browsers then take it from this host only, so that another
 * organization's subdomain cannot plant one. Scripts cannot read it; the CSRF token they have to read.
 */
export const cookies = (publicUrl: string, idleSeconds: number): Cookies => {
  const isSecure = publicUrl.startsWith('https://')
  const sessionCookie = isSecure ? '__Host-session' : 'session'
  const attributes = (seconds: number): string =>
    `Path=/; Max-Age=${seconds}; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    sessionToken(header) {
      if (header === undefined) return undefined
      const values = header
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${sessionCookie}=`))
      // Two cookies of one name: somebody else planted one of them.
      return values.length === 1 ? values[0]!.slice(sessionCookie.length + 1) : undefined
    },
    set(session) {
      const seconds = session === null ? 0 : idleSeconds
      const { token, csrfToken } = session ?? { token: '', csrfToken: '' }
      return [
        'set-cookie',
        `${sessionCookie}=${token}; ${attributes(seconds)}; HttpOnly`,
        'set-cookie',
        `${csrfCookie}=${csrfToken}; ${attributes(seconds)}`,
      ]
    },
  }
}
