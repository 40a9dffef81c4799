import type { BlockList } from 'node:net'
import type { Bus } from '@parley/bus'
import type { TokenSigner } from '@parley/kit'
import type { Logger } from 'pino'
import type { AccountDirectory } from './callers/account-directory.ts'
import type { IdentityNews } from './callers/identity-news.ts'
import type { PrincipalDirectory } from './callers/principal-directory.ts'
import type { RealmDirectory } from './callers/realm-directory.ts'
import type { SubdomainOf } from './callers/realm-host.ts'
import type { Document } from './docs/documents.ts'
import type { Capacity } from './limits/capacity.ts'
import type { Limiter } from './limits/limiter.ts'
import type { OpenExchanges } from './open-exchanges.ts'
import type { Upstreams } from './proxy/replicas.ts'
import type { RouteTable } from './routing/route-table.ts'
import type { Cookies } from './sessions/cookies.ts'
import type { SessionStore } from './sessions/session-store.ts'

/** What the gateway works with. */
export interface Deps {
  readonly log: Logger
  readonly bus: Bus
  readonly news: IdentityNews
  readonly publicUrl: string
  readonly routes: RouteTable
  readonly documents: ReadonlyMap<string, Document>
  readonly subdomainOf: SubdomainOf
  readonly realms: RealmDirectory
  readonly principals: PrincipalDirectory
  readonly accounts: AccountDirectory
  readonly sessions: SessionStore
  readonly cookies: Cookies
  readonly signer: TokenSigner
  readonly upstreams: Upstreams
  readonly limiter: Limiter
  readonly capacity: Capacity
  readonly corsOrigins: ReadonlySet<string>
  readonly trustedProxies: BlockList
  readonly exchanges: OpenExchanges
  readonly limits: {
    /** Bytes of parameters. */
    readonly body: number
    /** Bytes of a body that holds files or a stream. */
    readonly file: number
    /** Milliseconds. */
    readonly answer: number
  }
}
