import { once } from 'node:events'
import type { Server } from 'node:http'
import type { ServiceContract } from '@parley/contracts'
import { type Logger, pino } from 'pino'
import type { z } from 'zod'
import { type BaseConfig, ConfigError, readConfig } from './config.ts'
import { opening } from './opening.ts'
import { opsServer } from './ops-server.ts'
import type { PollLinks } from './poll-links.ts'
import { buildServer } from './server.ts'
import type { Running, ServiceDefinition } from './service.ts'
import { startTelemetry, traceOfLogLine } from './telemetry.ts'

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

/** Stops listening; a connection is closed as soon as no request is on it, not when its client lets go of it. */
const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const closing = setInterval(() => server.closeIdleConnections(), 20)
    server.close(() => {
      clearInterval(closing)
      resolve()
    })
    server.closeIdleConnections()
  })

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
  let front: Server | undefined
  let links: PollLinks | undefined
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
    const sockets = front === undefined ? Promise.resolve() : closed(front)
    const linksClosed = links?.leave()
    if (deps !== undefined) await definition.drain?.(deps)
    await Promise.all([linksClosed, sockets])
    for (const consumer of running.toReversed()) await consumer.stop()
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
    await listen(front, config.PORT, config.HOST)
    isServing = true
    log.info({ port: config.PORT }, 'serving')
  } catch (error) {
    log.error({ err: error }, 'could not start')
    process.exit(1)
  }
}
