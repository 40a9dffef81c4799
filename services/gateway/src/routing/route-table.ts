import {
  type AnyEndpoint,
  type Method,
  routerPath,
  type ServiceContract,
  type ServiceName,
} from '@parley/contracts'
import findMyWay, { type HTTPMethod } from 'find-my-way'

/** Through which door a request came: with HTTP Basic, or with a session cookie. */
type Door = 'api' | 'json'

/** One endpoint of the house, as the gateway sees it. */
export interface Route {
  /** The contract's name of the endpoint: what spans and metrics call it. */
  readonly operation: string
  readonly service: ServiceName
  readonly endpoint: AnyEndpoint
}

export interface RouteFound {
  readonly kind: 'route'
  readonly door: Door
  readonly route: Route
  /** Path and query, as the service knows them. */
  readonly upstreamPath: string
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>
}

type Destination =
  | RouteFound
  /** The path exists, for other methods. */
  | { readonly kind: 'other-methods'; readonly allowed: readonly string[] }
  | { readonly kind: 'nowhere' }
  /** The path's percent-encoding is broken. */
  | { readonly kind: 'unreadable' }

export interface RouteTable {
  /** `url` is the request target as sent, with its query. */
  find(method: string, url: string): Destination
}

/**
 * The spellings of the interface's root. `/v1` is there for deployments that are mounted below `/api` of another
 * site, and for clients that derive `{site}/v1` (conventions.md, "Requests").
 */
const roots: readonly { prefix: string; door: Door }[] = [
  { prefix: '/api/v1', door: 'api' },
  { prefix: '/json', door: 'json' },
  { prefix: '/v1', door: 'api' },
]

const methods: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']
const knownMethods = new Set<string>(methods)

const nowhere: Destination = { kind: 'nowhere' }
const unreadable: Destination = { kind: 'unreadable' }

/** The same rules as the services' own routers, so that both read one path alike. */
const newRouter = () =>
  findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: 4096,
    querystringParser: () => noParameters,
    onBadUrl: () => {},
  })

/** Derives the routing from the contracts; two endpoints at one place refuse to start. */
export const routeTable = (contracts: readonly ServiceContract[]): RouteTable => {
  const routers = { api: newRouter(), json: newRouter() }
  for (const contract of contracts) {
    for (const [operation, endpoint] of Object.entries(contract.endpoints)) {
      const route: Route = { operation, service: contract.name, endpoint }
      const path = routerPath(endpoint)
      routers.json.on(endpoint.method, path, () => {}, route)
      if (endpoint.doors !== 'session') routers.api.on(endpoint.method, path, () => {}, route)
    }
  }

  return {
    find(method, url) {
      for (const { prefix, door } of roots) {
        if (!url.startsWith(prefix) || url.charCodeAt(prefix.length) !== slash) continue
        const path = url.slice(prefix.length)
        const router = routers[door]
        const found = knownMethods.has(method) ? router.find(method as HTTPMethod, path) : null
        if (found !== null) {
          // A bad URL is found, but without what a route carries.
          if (found.store === null) return unreadable
          return {
            kind: 'route',
            door,
            route: found.store as Route,
            upstreamPath: `/api/v1${path}`,
            pathParameters: found.params as Record<string, string>,
          }
        }
        const allowed = methods.filter((other) => (router.find(other, path)?.store ?? null) !== null)
        return allowed.length === 0 ? nowhere : { kind: 'other-methods', allowed }
      }
      return nowhere
    },
  }
}

const slash = 47
const noParameters = {}
