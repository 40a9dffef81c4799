import { webhookDispatcher } from '@parley/contracts/webhook-dispatcher/index'
import { defineService } from '@parley/kit'
import { followRealmEnds, purgeOf } from '@parley/kit/follow-realm-ends'
import { holdData } from '@parley/kit/hold-data'
import { openCalls } from './calls/call-receiver.ts'
import { resolver } from './calls/name-resolution.ts'
import { config } from './config.ts'
import { attemptDelivery } from './deliveries/attempt-delivery.ts'
import { watchBacklog } from './deliveries/backlog-metrics.ts'
import { claimDeliveries, giveBack } from './deliveries/delivery-store.ts'
import { startDispatcher } from './deliveries/dispatcher.ts'
import { forgetOldDeliveries } from './deliveries/forget-old-deliveries.ts'
import { gate } from './deliveries/gate.ts'
import { getWebhookDelivery } from './deliveries/get-webhook-delivery.ts'
import { listWebhookDeliveries } from './deliveries/list-webhook-deliveries.ts'
import { redeliverWebhook } from './deliveries/redeliver-webhook.ts'
import { startPoster } from './posts/poster.ts'
import { holdings } from './realm-data/holdings.ts'
import { disableWebhook } from './receivers/disable-webhook.ts'
import { enableWebhook } from './receivers/enable-webhook.ts'
import { getWebhook } from './receivers/get-webhook.ts'
import { onBotChanged } from './receivers/on-bot-changed.ts'
import { rotateWebhookSecret } from './receivers/rotate-webhook-secret.ts'
import type { Deps } from './room.ts'
import { accountKinds } from './triggers/account-kinds.ts'
import { onMessageSent } from './triggers/on-message-sent.ts'

/**
 * Failures of which the consequences are written down at a time. Receivers that hang fail together, and must not take
 * all connections to the database from those that answer.
 */
const failuresAtOnce = 4

export const service = defineService({
  contract: webhookDispatcher,
  config,
  open: async ({ config, log, ask, database: openDatabase, bus: openBus, own }): Promise<Deps> => {
    const database = await openDatabase()
    const bus = await openBus()
    watchBacklog(database)
    const rules = { networks: config.WEBHOOK_ALLOWED_NETWORKS, ports: config.WEBHOOK_ALLOWED_PORTS }
    const calls = openCalls({
      rules,
      resolve: resolver({ networks: rules.networks, servers: config.WEBHOOK_DNS_SERVERS }),
      connections: config.WEBHOOK_CONCURRENCY,
    })
    own({ name: 'calls', ready: async () => {}, close: () => calls.close() })
    const poster = startPoster({ database, ask, publicUrl: config.PUBLIC_URL, log })
    const failures = gate(failuresAtOnce)
    const parts = { database, ask, calls, publicUrl: config.PUBLIC_URL, onPosts: poster.wake, failures }
    const dispatcher = startDispatcher({
      claim: (wish) => claimDeliveries(database.sql, wish),
      attempt: (claimed) => attemptDelivery(parts, claimed),
      giveBack: ({ delivery }, pause) => giveBack(database.sql, delivery, pause),
      perBot: config.WEBHOOK_CONCURRENCY,
      total: config.WEBHOOK_CALLS,
      log,
    })
    return {
      log,
      database,
      bus,
      ask,
      kinds: accountKinds(ask),
      dispatcher,
      poster,
      logDays: config.WEBHOOK_LOG_DAYS,
    }
  },
  start: async (deps) => [
    deps.poster,
    deps.dispatcher,
    await onBotChanged(deps),
    await onMessageSent(deps),
    forgetOldDeliveries(deps.database, deps.logDays, deps.log),
    await followRealmEnds({ ...deps, name: 'webhook-dispatcher.ends', purge: purgeOf(holdings, deps) }),
  ],
  endpoints: {
    getWebhook,
    enableWebhook,
    disableWebhook,
    rotateWebhookSecret,
    listWebhookDeliveries,
    getWebhookDelivery,
    redeliverWebhook,
  },
  internals: holdData('webhook-dispatcher', holdings),
  sections: {},
})
