import {
  type AnyEndpoint,
  type Method,
  routedParameters,
  routerPath,
  type ServiceContract,
  type ServiceName,
  servedRoot,
} from '@parley/contracts'
import findMyWay, { type HTTPMethod } from 'find-my-way'

/** Through which door a request came: with HTTP Basic, with a session cookie, or with either at the server's address. */
type Door = 'api' | 'json' | 'server'

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

type Router = ReturnType<typeof newRouter>

/** Derives the routing from the contracts; two endpoints at one place refuse to start. */
export const routeTable = (contracts: readonly ServiceContract[]): RouteTable => {
  const routers = { api: newRouter(), json: newRouter(), server: newRouter() }
  for (const contract of contracts) {
    for (const [operation, endpoint] of Object.entries(contract.endpoints)) {
      const route: Route = { operation, service: contract.name, endpoint }
      const path = routerPath(endpoint)
      if (endpoint.root === 'server') routers.server.on(endpoint.method, path, () => {}, route)
      else {
        routers.json.on(endpoint.method, path, () => {}, route)
        if (endpoint.doors !== 'session') routers.api.on(endpoint.method, path, () => {}, route)
      }
    }
  }

  /** HEAD is there wherever GET is (RFC 9110, section 9.1), but for polls: nobody waits for a header. */
  const match = (router: Router, method: string, path: string) => {
    if (!knownMethods.has(method)) return null
    const found = router.find(method as HTTPMethod, path)
    if (found !== null || method !== 'HEAD') return found
    const got = router.find('GET', path)
    return (got?.store as Route | null)?.endpoint.longPoll === false ? got : null
  }

  const at = (door: Door, method: string, path: string): Destination => {
    const router = routers[door]
    const found = match(router, method, path)
    if (found !== null) {
      // A bad URL is found, but without what a route carries.
      if (found.store === null) return unreadable
      const route = found.store as Route
      const { endpoint } = route
      return {
        kind: 'route',
        door,
        route,
        upstreamPath: `${servedRoot(endpoint)}${path}`,
        pathParameters: routedParameters(endpoint, found.params as Record<string, string>),
      }
    }
    const allowed = methods.filter((other) => isDeclared(match(router, other, path)?.store, other))
    return allowed.length === 0 ? nowhere : { kind: 'other-methods', allowed }
  }

  return {
    find(method, url) {
      for (const { prefix, door } of roots) {
        if (url.startsWith(prefix) && url.charCodeAt(prefix.length) === slash) {
          return at(door, method, url.slice(prefix.length))
        }
      }
      return url.charCodeAt(0) === slash ? at('server', method, url) : nowhere
    },
  }
}

/** HEAD that comes with GET is named only where it spares something. */
const isDeclared = (store: unknown, method: Method): boolean => {
  if (store == null) return false
  const { endpoint } = store as Route
  return endpoint.method === method || endpoint.answer === 'stream'
}

const slash = 47
const noParameters = {}
