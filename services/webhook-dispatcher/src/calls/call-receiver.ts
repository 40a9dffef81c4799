import { LRUCache } from 'lru-cache'
import { buildConnector, errors, Pool } from 'undici'
import { type Resolve, UnreachableName } from './name-resolution.ts'
import { type TargetRules, targetFinding } from './target-rules.ts'

/** Milliseconds for a whole call: looking the name up, connecting, asking, and reading the answer. */
const callMilliseconds = 10_000
/** Bytes of an answer that are read: ten thousand characters of a reply fit many times. */
const answerBytes = 256 * 1024
/** Receivers whose connections are kept. */
const keptPools = 2000

export interface Call {
  /** Calls of one receiver share its connections, and nobody else's. */
  readonly receiverId: number
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

export type CallOutcome =
  /** The receiver answered; `body` is cut when it is too long, and `isWhole` tells. */
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly retryAfter: string | undefined
      readonly body: string
      readonly isWhole: boolean
    }
  /** There was no answer: nobody there, too slow, a connection that broke. `reason` is a sentence. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The URL may not be called at all. */
  | { readonly kind: 'forbidden'; readonly reason: string }

export interface Calls {
  call(call: Call): Promise<CallOutcome>
  close(): Promise<void>
}

/** Sentences for the bot's owner; details of our own network stay inside. */
const reasonOf = (error: unknown): string => {
  if (error instanceof UnreachableName) return error.message
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'TimeoutError' || name === 'AbortError' || code?.endsWith('_TIMEOUT')) {
    return `No complete answer within ${callMilliseconds / 1000} seconds.`
  }
  if (code === 'ECONNREFUSED') return 'The connection was refused.'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE') return 'The connection broke.'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'The host cannot be reached.'
  if (code?.startsWith('ERR_TLS') || code?.includes('CERT') || code?.startsWith('ERR_SSL')) {
    return `The TLS connection could not be made (${code}).`
  }
  if (error instanceof errors.HTTPParserError) return 'The answer is not HTTP.'
  return 'The request failed.'
}

/**
 * Calls receivers over HTTP. Addresses are looked up once per connection, checked, and those same addresses are
 * connected to: what the name means a moment later does not matter. Redirects are answers like any other, never
 * followed.
 */
export const openCalls = (options: {
  rules: TargetRules
  resolve: Resolve
  /** Of one receiver. */
  connections: number
}): Calls => {
  const { rules, resolve, connections } = options
  const connector = buildConnector({
    timeout: callMilliseconds,
    autoSelectFamily: true,
    lookup: (host: string, _: unknown, done: (error: Error | null, found: unknown) => void) => {
      resolve(host).then(
        (found) => done(null, found),
        (error) => done(error, []),
      )
    },
  } as buildConnector.BuildOptions)
  const pools = new LRUCache<string, Pool>({
    max: keptPools,
    ttl: 60_000,
    updateAgeOnGet: true,
    dispose: (pool) => void pool.close().catch(() => {}),
  })

  const poolOf = (receiverId: number, origin: string): Pool => {
    const key = `${receiverId} ${origin}`
    const known = pools.get(key)
    if (known !== undefined) return known
    const pool = new Pool(origin, {
      connections,
      connect: connector,
      pipelining: 1,
      headersTimeout: callMilliseconds,
      bodyTimeout: callMilliseconds,
      keepAliveTimeout: 4000,
      keepAliveMaxTimeout: 30_000,
    })
    pools.set(key, pool)
    return pool
  }

  const readBody = async (body: AsyncIterable<Buffer>): Promise<{ body: string; isWhole: boolean }> => {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size > answerBytes) break
    }
    const text = Buffer.concat(chunks).subarray(0, answerBytes).toString('utf8').replaceAll('\0', '')
    return { body: text, isWhole: size <= answerBytes }
  }

  return {
    async call({ receiverId, url, headers, body }) {
      const finding = targetFinding(url, rules)
      if (finding !== undefined) return { kind: 'forbidden', reason: finding }
      const { origin, pathname, search } = new URL(url)
      try {
        const answer = await poolOf(receiverId, origin).request({
          method: 'POST',
          path: `${pathname}${search}`,
          headers,
          body,
          signal: AbortSignal.timeout(callMilliseconds),
        })
        const retryAfter = answer.headers['retry-after']
        return {
          kind: 'answered',
          status: answer.statusCode,
          retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
          ...(await readBody(answer.body)),
        }
      } catch (error) {
        return { kind: 'unreachable', reason: reasonOf(error) }
      }
    },
    async close() {
      const open = [...pools.values()]
      await Promise.all(open.map((pool) => pool.destroy()))
    },
  }
}
