import { contracts } from '@parley/contracts'
import { gateway } from '@parley/contracts/gateway/index'
import { defineService, tokenSigner } from '@parley/kit'
import { accountDirectory } from './callers/account-directory.ts'
import { IdentityNews } from './callers/identity-news.ts'
import { principalDirectory } from './callers/principal-directory.ts'
import { realmDirectory } from './callers/realm-directory.ts'
import { subdomainOf } from './callers/realm-host.ts'
import { config } from './config.ts'
import { documents } from './docs/documents.ts'
import { frontDoor } from './front-door.ts'
import { capacity } from './limits/capacity.ts'
import { limiter, noLimits } from './limits/limiter.ts'
import { localCallLog } from './limits/local-call-log.ts'
import { redisCallLog } from './limits/redis-call-log.ts'
import { OpenExchanges } from './open-exchanges.ts'
import { upstreams } from './proxy/replicas.ts'
import type { Deps } from './room.ts'
import { routeTable } from './routing/route-table.ts'
import { cookies } from './sessions/cookies.ts'
import { sessionStore } from './sessions/session-store.ts'

export const service = defineService({
  // Its endpoints see the connection, which the kit's handlers do not: they are listed in own-endpoints.ts.
  contract: { ...gateway, endpoints: {} },
  config,
  open: async (opening): Promise<Deps> => {
    const { config, log, ask } = opening
    const bus = await opening.bus({ needed: false })
    const redis = await opening.redis({ needed: false })
    const rules = {
      user: config.RATE_LIMIT_USERS,
      poll: config.RATE_LIMIT_POLLS,
      anonymous: config.RATE_LIMIT_ANONYMOUS,
      logIn: config.RATE_LIMIT_LOG_INS,
    }
    const sessionSeconds = Math.round(config.SESSION_DAYS * 86_400)
    const isLimiting = config.RATE_LIMITS ?? config.MODE === 'production'
    const news = new IdentityNews()
    const maxAge = () => news.maxAge()
    const signer = tokenSigner('gateway', config.SIGNING_KEY)
    const services = upstreams(config, signer, log)
    opening.own(services)
    return {
      log,
      bus,
      news,
      publicUrl: config.PUBLIC_URL,
      routes: routeTable(Object.values(contracts)),
      documents: documents(),
      subdomainOf: subdomainOf(config.PUBLIC_URL, config.MODE === 'development'),
      realms: realmDirectory({ ask, maxAge }),
      principals: principalDirectory({ ask, maxAge }),
      accounts: accountDirectory({ ask, maxAge }),
      sessions: sessionStore(redis, sessionSeconds),
      cookies: cookies(config.PUBLIC_URL, sessionSeconds),
      signer,
      upstreams: services,
      limiter: isLimiting
        ? limiter({ shared: redisCallLog(redis), local: localCallLog(), rules, log })
        : noLimits(rules),
      capacity: capacity({ requestsPerService: config.MAX_REQUESTS_PER_SERVICE, polls: config.MAX_POLLS }),
      corsOrigins: config.CORS_ORIGINS,
      trustedProxies: config.TRUSTED_PROXIES,
      exchanges: new OpenExchanges(),
      limits: {
        body: config.MAX_BODY_BYTES,
        file: config.MAX_FILE_BYTES,
        answer: config.ANSWER_SECONDS * 1000,
      },
    }
  },
  endpoints: {},
  internals: {},
  sections: {},
  start: async ({ news, ...parts }) => news.follow(parts),
  server: frontDoor,
  drain: ({ exchanges }) => exchanges.drain(),
})
