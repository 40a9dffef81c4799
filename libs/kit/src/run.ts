import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import type { ServiceContract } from '@parley/contracts'
import { type Logger, pino } from 'pino'
import type { z } from 'zod'
import { type BaseConfig, ConfigError, readConfig } from './config.ts'
import { opening } from './opening.ts'
import { opsServer } from './ops-server.ts'
import type { RequestLinks } from './request-links.ts'
import { buildServer } from './server.ts'
import type { Running, ServiceDefinition } from './service.ts'
import { startTelemetry, traceOfLogLine } from './telemetry.ts'

/**
 * Buffers count like objects: what is collected when follows from both together. By its older rule V8 looks through the
 * whole heap for every 64 MiB of buffers, and services that pass large answers on did little else.
 */
setFlagsFromString('--external-memory-accounted-in-global-limit')
/**
 * Code that runs once per request is compiled well after a hundred requests instead of four hundred, and as well as it can
 * be after six hundred instead of three thousand: a process that was started a moment ago is slow for less long.
 */
setFlagsFromString('--invocation-count-for-maglev=100')
setFlagsFromString('--invocation-count-for-turbofan=600')

const logger = (service: string, level: string): Logger =>
  pino({
    level,
    base: { service, pid: process.pid },
    redact: ['*.authorization', '*.cookie', '*.password', '*.api_key', '*.token', '*.["x-parley-caller"]'],
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: traceOfLogLine,
  })

const listen = async (server: Server, port: number, host: string): Promise<void> => {
  server.listen(port, host)
  await once(server, 'listening')
}

/** Milliseconds for which connections that are open stay so when a process leaves. */
const linger = 1500

/**
 * Closes a server without breaking a request: it stops listening, and each answer from then on says that it is the last on
 * its connection. A connection on which nothing is asked may be about to be used at this very moment, and whoever uses it
 * would not know whether it was heard: it is closed a little later. (`server.close` of node closes it at once.)
 */
const closing = (server: Server): (() => Promise<void>) => {
  const open = new Set<ServerResponse>()
  let isLeaving = false
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (isLeaving) response.shouldKeepAlive = false
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return () =>
    new Promise((resolve) => {
      isLeaving = true
      for (const response of open) if (!response.headersSent) response.shouldKeepAlive = false
      let sweeping: NodeJS.Timeout | undefined
      const waiting = setTimeout(() => {
        sweeping = setInterval(() => server.closeIdleConnections(), 20)
      }, linger)
      NetServer.prototype.close.call(server, () => {
        clearTimeout(waiting)
        clearInterval(sweeping)
        resolve()
      })
    })
}

/**
 * Runs a service: reads its configuration, opens its engines, starts its consumers, listens; on SIGTERM or SIGINT
 * leaves in stages (not ready, waiting requests answered, requests finished, consumers stopped, engines closed).
 * Exits 78 when the configuration is wrong, 1 when an engine cannot be opened.
 */
export const run = async <C extends ServiceContract, Shape extends z.ZodRawShape, Deps>(
  definition: ServiceDefinition<C, Shape, Deps>,
): Promise<void> => {
  const name = definition.contract.name
  let config: BaseConfig & z.output<z.ZodObject<Shape>>
  try {
    config = readConfig(definition.config, process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(`${name}: ${error.message}`)
    process.exit(78)
  }
  const log = logger(name, config.LOG_LEVEL)
  const telemetry = startTelemetry(name, config)
  const things = opening(name, config, log)
  let draining = false
  let isLeaving = false
  let running: Running[] = []
  let close: (() => Promise<void>) | undefined
  let links: RequestLinks | undefined
  let deps: Deps | undefined
  let isServing = false
  const start = {
    name: 'start',
    ready: async () => {
      if (!isServing) throw new Error('not over yet')
    },
  }
  const ops = opsServer(
    () => [start, ...things.opened],
    () => draining,
  )

  const leave = async (signal: string): Promise<void> => {
    log.info({ signal }, 'leaving')
    draining = true
    const deadline = setTimeout(() => {
      log.error('shutdown took too long')
      process.exit(1)
    }, config.SHUTDOWN_SECONDS * 1000)
    deadline.unref()
    const sockets = close?.()
    const linksClosed = links?.leave()
    if (deps !== undefined) await definition.drain?.(deps)
    await Promise.all([linksClosed, sockets])
    await Promise.all(running.map((consumer) => consumer.stop()))
    for (const thing of things.opened.toReversed()) await thing.close()
    await telemetry.stop()
    ops.close()
    ops.closeAllConnections()
    log.info('left')
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isLeaving) return
      isLeaving = true
      leave(signal).catch((error) => {
        log.error({ err: error }, 'shutdown failed')
        process.exit(1)
      })
    })
  }

  try {
    let front: Server
    // First: a start that waits, for migrations, says so, and is alive.
    await listen(ops, config.OPS_PORT, config.HOST)
    deps = await definition.open(things)
    running = (await definition.start?.(deps)) ?? []
    if (definition.server === undefined) {
      const server = await buildServer({ contract: definition.contract, definition, deps, config, log })
      await server.ready()
      front = server.server
      links = server.links
    } else {
      front = definition.server(deps)
    }
    front.keepAliveTimeout = 120_000
    close = closing(front)
    await listen(front, config.PORT, config.HOST)
    isServing = true
    log.info({ port: config.PORT }, 'serving')
  } catch (error) {
    log.error({ err: error }, 'could not start')
    process.exit(1)
  }
}
