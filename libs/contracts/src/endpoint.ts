import { z } from 'zod'
import type { ErrorName, ImpliedError } from './errors.ts'
import type { AnyEvent } from './event.ts'
import type { ServiceName } from './services.ts'

/**
 * Who may call, from the weakest demand to the strongest:
 * - `anyone`: no credentials needed; bad ones are ignored.
 * - `spectator`: any account, and without credentials whoever the organization lets look on (the handler decides that
 *   and throws `notLoggedIn`); bad credentials are refused.
 * - `authenticated`: any account, bots and guests included.
 * - `human`: any account but bots. `bot`: bots only (PERMISSION_DENIED for others).
 * - `member`: not guests. `moderator`, `administrator`, `owner`: that role or a higher one.
 */
export type Access =
  | 'anyone'
  | 'spectator'
  | 'authenticated'
  | 'human'
  | 'bot'
  | 'member'
  | 'moderator'
  | 'administrator'
  | 'owner'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS'

/**
 * Through which doors of the gateway an endpoint is reached:
 * - `both`: at `/api/v1` with HTTP Basic and at `/json` with a session cookie, as nearly everything is.
 * - `session`: at `/json` only, because it is about sessions.
 * - `files`: at its root with either (resumable uploads, files), at `/json` as the others.
 * - `open`: credentials are not even looked at, because the answer is the same for everybody.
 */
export type Doors = 'both' | 'session' | 'files' | 'open'

/** One file that a multipart body may hold beside the parameters, in a field of any name. It is held in memory. */
export interface FileParameter {
  /** For the reference page: what the file is. */
  readonly name: string
  /** More than so many MiB are refused. */
  readonly mebibytes: number
  /** What is said to whoever sends several. */
  readonly several: string
}

/** The public contract of one endpoint: routing, parsing, permission, reply, documentation follow from it. */
export interface EndpointDeclaration<
  Params extends z.ZodRawShape = z.ZodRawShape,
  Reply extends z.ZodRawShape = z.ZodRawShape,
  Errors extends ErrorName = ErrorName,
  Events extends AnyEvent = AnyEvent,
  Who extends Access = Access,
> {
  readonly method: Method
  /**
   * Below `/api/v1` (unless `root` says otherwise); `{name}` marks a path parameter, declared in `params` like any other,
   * `{name*}` at the end one that takes the rest of the path, slashes included.
   */
  readonly path: string
  readonly service: ServiceName
  /** One sentence for the reference page. */
  readonly summary: string
  /** Feature level at which the endpoint appeared (1: always there). */
  readonly since: number
  readonly access: Who
  readonly params: Params
  /** Other names under which a parameter is accepted. */
  readonly aliases: Readonly<Record<string, readonly string[]>>
  readonly reply: Reply
  readonly errors: readonly Errors[]
  readonly emits: readonly Events[]
  /** Whether incoming-webhook bots, which may do almost nothing, may call it. */
  readonly webhookBots: boolean
  /** The parameter that names the account of a log-in; failed attempts are limited per account (gateway). */
  readonly logInName: string | null
  readonly doors: Doors
  /** `server`: the path is the whole path, beside `/api/v1` and `/json` (`/user_avatars/...`); `doors` is `files` or `open` then. */
  readonly root: 'api' | 'server'
  /**
   * `stream`: the body goes to the handler as it arrives, of any type and size (the handler sets the limit, no door
   * before it); parameters are in the path and the query only.
   */
  readonly body: 'parameters' | 'stream'
  /** Null: files beside the parameters are passed over. */
  readonly file: FileParameter | null
  /**
   * `stream`: the handler answers with its own status, headers and bytes; `GET` answers `HEAD` too. Refusals are the
   * envelope all the same, unless the handler says otherwise.
   */
  readonly answer: 'json' | 'stream'
  /** Whether its success also logs a browser in; the reply names the account in `user_id`. */
  readonly opensSession: boolean
  /** A request that waits for something to happen: never shed first, no ordinary deadline, drained specially. */
  readonly longPoll: boolean
  /**
   * Asked all the time, with a small form and a small answer: travels on a link between gateway and service instead of
   * being a request of its own. Nothing of it stands in its path, and its handler looks at parameters only.
   */
  readonly brief: boolean
  /** Also answered at the root host while no organization lives there: the caller's realm is then `noRealm`. */
  readonly realmless: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the widest declaration, of which all are.
export type AnyEndpoint = EndpointDeclaration<any, any, any, any, Access>

export type ParamsOf<E> =
  E extends EndpointDeclaration<infer P, infer _R, infer _E, infer _V, infer _W>
    ? z.output<z.ZodObject<P>>
    : never
export type ReplyOf<E> =
  E extends EndpointDeclaration<infer _P, infer R, infer _E, infer _V, infer _W>
    ? z.input<z.ZodObject<R>>
    : never
export type ErrorsOf<E> =
  E extends EndpointDeclaration<infer _P, infer _R, infer N, infer _V, infer _W> ? N | ImpliedError : never
export type EventsOf<E> =
  E extends EndpointDeclaration<infer _P, infer _R, infer _E, infer V, infer _W> ? V : never
export type AccessOf<E> =
  E extends EndpointDeclaration<infer _P, infer _R, infer _E, infer _V, infer W> ? W : never

/**
 * Declares an endpoint.
 *
 * ```ts
 * export const createFolder = endpoint({
 *   method: 'POST', path: '/channel_folders/create', service: 'channels', since: 389, access: 'administrator',
 *   summary: 'Create a channel folder.',
 *   params: { name: FolderName, description: FolderDescription },
 *   reply: { channel_folder_id: Id },
 *   emits: [channelFolderAdd],
 * })
 * ```
 */
export const endpoint = <
  const Params extends z.ZodRawShape,
  const Reply extends z.ZodRawShape,
  const Who extends Access,
  const Errors extends ErrorName = never,
  const Events extends AnyEvent = never,
>(declaration: {
  method: Method
  path: `/${string}`
  service: ServiceName
  summary: string
  since?: number
  access: Who
  params: Params
  aliases?: { readonly [name in keyof Params]?: readonly string[] }
  reply: Reply
  errors?: readonly Errors[]
  emits?: readonly Events[]
  webhookBots?: boolean
  logInName?: keyof Params & string
  doors?: Doors
  root?: 'api' | 'server'
  body?: 'parameters' | 'stream'
  file?: FileParameter
  answer?: 'json' | 'stream'
  opensSession?: boolean
  longPoll?: boolean
  brief?: boolean
  realmless?: boolean
}): EndpointDeclaration<Params, Reply, Errors, Events, Who> => ({
  since: 1,
  errors: [],
  emits: [],
  webhookBots: false,
  logInName: null,
  doors: declaration.root === 'server' ? 'files' : 'both',
  root: 'api',
  body: 'parameters',
  file: null,
  answer: 'json',
  opensSession: false,
  longPoll: false,
  brief: false,
  realmless: false,
  ...declaration,
  aliases: (declaration.aliases ?? {}) as Readonly<Record<string, readonly string[]>>,
})

/** Names of the path's parameters, in order. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1]!)

/** The whole path, as OpenAPI spells it. */
export const publicPath = ({ root, path, doors }: Pick<AnyEndpoint, 'root' | 'path' | 'doors'>): string =>
  `${root === 'server' ? '' : doors === 'session' ? '/json' : '/api/v1'}${path.replace('*}', '}')}`

/** What stands before the path where services answer; the gateway adds the other spellings. */
export const servedRoot = ({ root }: Pick<AnyEndpoint, 'root'>): string =>
  root === 'server' ? '' : '/api/v1'

/**
 * The path as the routers (find-my-way, alone and inside fastify) spell it: integer parameters match digits
 * only, so that `/users/{user_id}` and `/users/{email}` are different routes.
 */
export const routerPath = (declaration: Pick<AnyEndpoint, 'path' | 'params'>): string =>
  declaration.path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, rest: string) => {
    if (rest !== '') return '*'
    return declaration.params[name] instanceof z.ZodNumber ? `:${name}(^-?\\d+$)` : `:${name}`
  })

/** The path's parameters by their names: routers call the rest of a path `*`. */
export const routedParameters = (
  { path }: Pick<AnyEndpoint, 'path'>,
  found: Readonly<Record<string, string>>,
): Record<string, string> => {
  const { '*': rest, ...named } = found
  return rest === undefined ? named : { ...named, [pathParameters(path).at(-1)!]: rest }
}
