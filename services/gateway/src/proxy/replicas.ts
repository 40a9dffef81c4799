import { contracts, EngineUnavailableError, type ServiceName } from '@parley/contracts'
import type { TokenSigner } from '@parley/kit/caller-token'
import { type BaseConfig, urlSetting } from '@parley/kit/config'
import type { Logger } from 'pino'
import { Pool, request } from 'undici'
import { LinkPool } from './link-pool.ts'

/**
 * What a request needs of a connection. They have connections of their own, so that long-polls and slow uploads
 * cannot use up those that everything else goes through.
 */
export type Lane = 'brief' | 'streamed' | 'poll'

export interface Replica {
  readonly url: string
  pool(lane: Lane): Pool
  /** For long-polls, and for what is brief. */
  links(): LinkPool
  /** Says that no connection could be made: the replica is left out until it answers a probe. */
  isUnreachable(): void
}

/** The processes that serve one service. */
export interface Replicas {
  /**
   * One that is not known to be away, in turn; `except` those that were tried already.
   *
   * @throws EngineUnavailableError when none is left.
   */
  next(except?: ReadonlySet<Replica>): Replica
  close(): Promise<void>
}

const connectTimeout = 1000
/** Shorter than the 120 s for which services keep idle connections, so that the gateway closes first. */
const keepAliveTimeout = 30_000
/**
 * Milliseconds for which a connection of what is brief is used: several processes may share an address, and a new one gets
 * its part of the load by new connections only.
 */
const connectionAge = 60_000
/** Slow readers and slow senders must not stand in each other's way: how many there are is bounded by the capacity. */
const connectionsOf: Record<Lane, number | null> = { brief: 128, streamed: null, poll: null }

/** Milliseconds before one that is away is asked whether it is back: the first time, and at most. */
const firstProbe = 100
const slowestProbe = 500

/** Opens nothing until a request needs it. `headersTimeout` is set with each request. */
const replicasOf = (
  service: ServiceName,
  urls: readonly string[],
  signer: TokenSigner,
  log: Logger,
): Replicas => {
  let turn = 0

  const open = (url: string): Replica & { isAway: boolean; close(): Promise<void> } => {
    const pools = new Map<Lane, Pool>()
    const links = new LinkPool(url, signer)
    let probe: NodeJS.Timeout | undefined
    const askAgain = (pause: number): void => {
      probe = setTimeout(async () => {
        try {
          const { statusCode, body } = await request(`${url}/health`, {
            headersTimeout: connectTimeout,
            bodyTimeout: connectTimeout,
            signal: AbortSignal.timeout(2 * connectTimeout),
          })
          await body.dump()
          if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
          replica.isAway = false
          log.info({ service, url }, 'replica is back')
        } catch {
          if (replica.isAway) askAgain(Math.min(pause * 2, slowestProbe))
        }
      }, pause)
      probe.unref()
    }
    const replica = {
      url,
      isAway: false,
      pool(lane: Lane): Pool {
        const known = pools.get(lane)
        if (known !== undefined) return known
        const made = new Pool(url, {
          connections: connectionsOf[lane],
          connect: { timeout: connectTimeout },
          keepAliveTimeout,
          keepAliveMaxTimeout: keepAliveTimeout,
          ...(lane === 'brief' ? { clientTtl: connectionAge } : {}),
        })
        pools.set(lane, made)
        return made
      },
      links: () => links,
      isUnreachable(): void {
        if (replica.isAway) return
        replica.isAway = true
        log.warn({ service, url }, 'replica is away')
        askAgain(firstProbe)
      },
      async close(): Promise<void> {
        replica.isAway = false
        clearTimeout(probe)
        links.close()
        await Promise.all([...pools.values()].map((pool) => pool.destroy()))
      },
    }
    return replica
  }

  const replicas = urls.map(open)
  return {
    next(except) {
      turn += 1
      for (let step = 0; step < replicas.length; step += 1) {
        const replica = replicas[(turn + step) % replicas.length]!
        if (!replica.isAway && except?.has(replica) !== true) return replica
      }
      throw new EngineUnavailableError(service)
    },
    close: async () => void (await Promise.all(replicas.map((replica) => replica.close()))),
  }
}

/** All services that have endpoints, and their connections. */
export interface Upstreams {
  readonly name: string
  of(service: ServiceName): Replicas
  /** Always: a service that is away is missed by its own requests only. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** @throws Error naming the address that the configuration lacks. */
export const upstreams = (config: BaseConfig, signer: TokenSigner, log: Logger): Upstreams => {
  const urls = config as unknown as Record<string, string[] | undefined>
  const services = new Map<ServiceName, Replicas>()
  for (const { name, endpoints } of Object.values(contracts)) {
    if (name === 'gateway' || Object.keys(endpoints).length === 0) continue
    const setting = urlSetting(name)
    if (urls[setting] === undefined) throw new Error(`${setting} is not configured`)
    services.set(name, replicasOf(name, urls[setting], signer, log))
  }
  return {
    name: 'services',
    of(service) {
      const replicas = services.get(service)
      if (replicas === undefined) throw new EngineUnavailableError(service)
      return replicas
    },
    ready: async () => {},
    close: async () => void (await Promise.all([...services.values()].map((replicas) => replicas.close()))),
  }
}
