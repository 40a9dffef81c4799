/**
 * Which headers of a message belong to one connection or to one side of the gateway, and are not passed on.
 * Hop-by-hop: RFC 9110, section 7.6.1.
 */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** What the gateway says itself, or what services must not learn or believe. */
const keptFromServices = new Set([
  ...hopByHop,
  'authorization',
  'baggage',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'traceparent',
  'tracestate',
  'x-real-ip',
  'x-request-id',
])

const keptFromClients = new Set([...hopByHop, 'date', 'server'])

/** Headers that speak for the gateway, whoever sends them: the caller's token first of all. */
const isOurs = (name: string): boolean => name.startsWith('x-parley-') || name.startsWith('x-forwarded-')

/** The names that `Connection` adds to the hop-by-hop ones. */
const namedBy = (connection: string | undefined): ReadonlySet<string> | undefined => {
  if (connection === undefined) return undefined
  const lowered = connection.toLowerCase()
  if (lowered === 'keep-alive' || lowered === 'close') return undefined
  return new Set(lowered.split(',').map((name) => name.trim()))
}

/** The headers of a request that its service may see: a flat list of names (lower-case) and values. */
export const headersForService = (raw: readonly string[], connection: string | undefined): string[] => {
  const named = namedBy(connection)
  const headers: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    if (keptFromServices.has(name) || isOurs(name) || named?.has(name) === true) continue
    headers.push(name, raw[at + 1]!)
  }
  return headers
}

/** The headers of a service's answer that the client may see, added to `headers`. */
export const addHeadersForClient = (
  answered: Readonly<Record<string, string | string[] | undefined>>,
  headers: string[],
): void => {
  for (const name in answered) {
    const value = answered[name]
    if (value === undefined || keptFromClients.has(name) || isOurs(name)) continue
    if (typeof value === 'string') headers.push(name, value)
    else for (const one of value) headers.push(name, one)
  }
}
