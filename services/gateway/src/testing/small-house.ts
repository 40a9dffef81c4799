import { generateKeyPairSync, randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, BlockList, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { contracts, type ServiceContract } from '@parley/contracts'
import { callerHeader, tokenSigner, tokenVerifier } from '@parley/kit/caller-token'
import { baseConfig } from '@parley/kit/config'
import { internalClient } from '@parley/kit/internal-client'
import { linkPath } from '@parley/kit/link-frames'
import { type LinkedEndpoint, type RequestLinks, requestLinks } from '@parley/kit/request-links'
import type { Redis } from 'ioredis'
import { pino } from 'pino'
import { accountDirectory } from '../callers/account-directory.ts'
import { principalDirectory } from '../callers/principal-directory.ts'
import { realmDirectory } from '../callers/realm-directory.ts'
import { subdomainOf } from '../callers/realm-host.ts'
import { documents } from '../docs/documents.ts'
import { frontDoor } from '../front-door.ts'
import { capacity } from '../limits/capacity.ts'
import { type Limiter, type LimitRules, noLimits } from '../limits/limiter.ts'
import { OpenExchanges } from '../open-exchanges.ts'
import { upstreams } from '../proxy/replicas.ts'
import type { Deps } from '../room.ts'
import { routeTable } from '../routing/route-table.ts'
import { cookies } from '../sessions/cookies.ts'
import { sessionStore } from '../sessions/session-store.ts'

export const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A port that nobody listens on; above those that the kernel gives to whoever asks for any, as other tests do. */
export const deadPort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(61_000, 65_536)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

const keys = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    signing: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    trusted: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

export const hamlet = `Basic ${Buffer.from('hamlet@example.org:right-key').toString('base64')}`
const ofGone = 'gone@example.org'
export const gone = `Basic ${Buffer.from(`${ofGone}:right-key`).toString('base64')}`

export const defaultRules: LimitRules = {
  user: [{ count: 200, seconds: 60 }],
  poll: [{ count: 600, seconds: 60 }],
  anonymous: [{ count: 100, seconds: 60 }],
  logIn: [{ count: 5, seconds: 1800 }],
}

export interface House {
  readonly port: number
  readonly deps: Deps
  readonly server: Server
  readonly links: RequestLinks | undefined
  /** Ends every link to channels, as the end of their process does. */
  breakLinks(): void
  /** What the small identity was asked, in order. */
  readonly asked: string[]
  /** Who signed and who called, as a service would see it. */
  verify(request: IncomingMessage): Promise<unknown>
  /** One request by text, and everything that came back until the connection closed. */
  raw(request: string | Buffer): Promise<string>
  fetch(path: string, options?: RequestInit & { host?: string; as?: string | null }): Promise<Response>
  close(): Promise<void>
}

interface SmallAccount {
  id: number
  role: number
  active: boolean
  version: number
}

/** Accounts that the small identity knows, for tests to change. */
export const accounts: Record<string, SmallAccount> = {}

/** Answers the internal questions of the gateway over real HTTP, as identity does. */
const smallIdentity =
  (asked: string[], publicUrl: string, fallback: RequestListener, rootRealm: boolean): RequestListener =>
  async (request, response) => {
    const answer = (body: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (!request.url?.startsWith('/internal/')) return fallback(request, response)
    const input = JSON.parse(await text(request))
    asked.push(request.url)
    if (request.url === '/internal/find-realm') {
      const realms: Record<string, object> = {
        ...(rootRealm ? { '': { id: 1, url: publicUrl, is_active: true } } : {}),
        acme: { id: 2, url: publicUrl.replace('//', '//acme.'), is_active: true },
        asleep: { id: 3, url: publicUrl.replace('//', '//asleep.'), is_active: false },
      }
      const realm = realms[input.subdomain]
      return answer({
        realm: realm === undefined ? null : { ...realm, subdomain: input.subdomain, version: 1 },
      })
    }
    if (request.url === '/internal/find-users') {
      const users = Object.values(accounts).filter(({ id }) => input.ids.includes(id))
      return answer({
        users: users.map(({ active, ...user }) => ({ ...user, is_active: active, bot_type: null })),
      })
    }
    const account = input.realm_id === 2 ? undefined : accounts[input.email]
    if (account === undefined || input.api_key !== 'right-key') {
      return answer({ outcome: 'invalid', user: null, version: 0 })
    }
    const { id, role, active, version } = account
    return active
      ? answer({ outcome: 'accepted', user: { id, role, bot_type: null }, version })
      : answer({ outcome: 'user_deactivated', user: null, version })
  }

/** As a service answers that has nothing to do with links. */
const withoutLinks =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url === linkPath) response.writeHead(404).end('{}')
    else listener(request, response)
  }

/** A gateway on a port of its own, in front of small servers: `channels` and `queue` answer as the test says. */
export const smallHouse = async (
  parts: {
    identity?: RequestListener
    channels?: RequestListener
    channelsUrls?: string
    queueUrls?: string
    queue?: RequestListener
    /** Endpoints that the queue answers over links. */
    linked?: ReadonlyMap<string, LinkedEndpoint>
    /** Endpoints that channels answer over links. */
    linkedChannels?: ReadonlyMap<string, LinkedEndpoint>
    publicUrl?: string
    /** Whether an organization lives at the root host. */
    rootRealm?: boolean
    /** Endpoints besides those of the house. */
    more?: ServiceContract
    /** For sessions. */
    redis?: Redis
    limiter?: Limiter
    requestsPerService?: number
    polls?: number
    body?: number
    file?: number
    answer?: number
  } = {},
): Promise<House> => {
  for (const name of Object.keys(accounts)) delete accounts[name]
  accounts['hamlet@example.org'] = { id: 10, role: 400, active: true, version: 1 }
  accounts[ofGone] = { id: 11, role: 400, active: false, version: 2 }
  const asked: string[] = []
  const publicUrl = parts.publicUrl ?? 'http://chat.test'
  const echo: RequestListener = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":"success","msg":""}')
  }
  const servers = [
    createServer(smallIdentity(asked, publicUrl, parts.identity ?? echo, parts.rootRealm ?? true)),
    createServer(withoutLinks(parts.channels ?? echo)),
    createServer(withoutLinks(parts.queue ?? echo)),
  ]
  const [identity, channels, queue] = await Promise.all(servers.map(listening))
  const { signing, trusted } = keys()
  const config = baseConfig.parse({
    PUBLIC_URL: publicUrl,
    SIGNING_KEY: signing,
    TRUSTED_KEYS: JSON.stringify({ gateway: trusted }),
    IDENTITY_URL: `http://127.0.0.1:${identity}`,
    CHANNELS_URL: parts.channelsUrls ?? `http://127.0.0.1:${channels}`,
    EVENT_QUEUE_URL: parts.queueUrls ?? `http://127.0.0.1:${queue}`,
    UPLOADS_URL: 'http://127.0.0.1:9',
    PRESENCE_URL: 'http://127.0.0.1:9',
    INVITATIONS_URL: 'http://127.0.0.1:9',
    WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:9',
  })
  const log = pino({ level: 'silent' })
  const signer = tokenSigner('gateway', signing)
  const ask = internalClient({ config, signer })
  const maxAge = () => 60_000
  const services = upstreams(config, signer, log)
  const deps = {
    log,
    publicUrl,
    routes: routeTable([...Object.values(contracts), ...(parts.more === undefined ? [] : [parts.more])]),
    documents: documents(),
    subdomainOf: subdomainOf(publicUrl, false),
    realms: realmDirectory({ ask, maxAge }),
    principals: principalDirectory({ ask, maxAge }),
    accounts: accountDirectory({ ask, maxAge }),
    ...(parts.redis === undefined ? {} : { sessions: sessionStore(parts.redis, 3600) }),
    cookies: cookies(publicUrl, 3600),
    signer,
    upstreams: services,
    limiter: parts.limiter ?? noLimits(defaultRules),
    capacity: capacity({ requestsPerService: parts.requestsPerService ?? 100, polls: parts.polls ?? 100 }),
    corsOrigins: new Set(['https://app.example.org']),
    trustedProxies: new BlockList(),
    exchanges: new OpenExchanges(),
    limits: {
      body: parts.body ?? 1024 * 1024,
      file: parts.file ?? 64 * 1024 * 1024,
      answer: parts.answer ?? 5000,
    },
  } as unknown as Deps
  const server = frontDoor(deps)
  const port = await listening(server)
  const verifier = tokenVerifier(config)
  const linksOf = (server: Server, endpoints?: ReadonlyMap<string, LinkedEndpoint>) =>
    endpoints && requestLinks(server, { endpoints, verifier, log })
  const links = linksOf(servers[2]!, parts.linked)
  linksOf(servers[1]!, parts.linkedChannels)
  const linked = new Set<Duplex>()
  servers[1]!.on('upgrade', (_request, socket) => linked.add(socket))
  return {
    port,
    links,
    breakLinks: () => {
      for (const socket of linked) socket.destroy()
    },
    deps,
    server,
    asked,
    verify: async (request) => verifier.verify(String(request.headers[callerHeader])),
    raw: (request) =>
      new Promise((resolve, reject) => {
        let received = ''
        const socket = connect(port, '127.0.0.1', () => socket.write(request))
        socket.setEncoding('latin1')
        socket.on('data', (piece) => {
          received += piece
        })
        socket.on('close', () => resolve(received))
        socket.on('error', reject)
      }),
    fetch: (path, { host = 'chat.test', as = hamlet, ...options } = {}) =>
      fetchWithHost(`http://127.0.0.1:${port}${path}`, host, as, options),
    close: async () => {
      for (const one of [server, ...servers]) {
        one.closeAllConnections()
        one.close()
      }
      await services.close()
    },
  }
}

/** `fetch` does not let a Host header be chosen; undici's request does, and answers are made alike. */
const fetchWithHost = async (
  url: string,
  host: string,
  as: string | null,
  options: RequestInit,
): Promise<Response> => {
  const { request } = await import('undici')
  const answer = await request(url, {
    method: (options.method ?? 'GET') as 'GET',
    headers: {
      host,
      ...(as === null ? {} : { authorization: as }),
      ...(options.headers as Record<string, string>),
    },
    ...(options.body == null ? {} : { body: options.body as string }),
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, one)
  }
  const body = await answer.body.arrayBuffer()
  // A 304 may not even have an empty one.
  return new Response(body.byteLength === 0 ? null : body, { status: answer.statusCode, headers })
}
