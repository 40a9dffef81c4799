import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { freePorts } from '../../deploy/machine/ports.ts'
import { type Stack, startStack } from '../../deploy/stack.ts'

/** What a test may do to the system. */
export type StackControls = Pick<Stack, 'kill' | 'restart' | 'stopEngine' | 'startEngine'>

/** What a test has to know of the system. */
export interface StackToKill extends Pick<Stack, 'address' | 'addresses'> {
  readonly dataDir: string
  /** Where its mails go: whoever wants to read them listens there. */
  readonly mailPort: number
}

/** What the tests of a run ask for, as the body of a request. */
export interface StackWish {
  /** `describe` starts the system when nobody did before, and answers with StackToKill. */
  readonly method: 'describe' | keyof StackControls
  readonly args: readonly unknown[]
}

/**
 * Keeps one system for all tests that kill parts of it, because a start takes as long as such a test: it is started for the
 * first of them, each leaves it whole, and it ends with the run. They control it over HTTP, at PARLEY_STACK_TO_KILL.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-faults-'))
  const [mailPort] = (await freePorts(1)) as [number]
  let started: Promise<Stack> | undefined
  const start = (): Promise<Stack> => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...env } = process.env
    // Engines of the shared stack must not be taken for this one's.
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT']) delete env[name]
    const settings = { CHECK_REPLIES: 'on', LOG_LEVEL: 'warn', SMTP_URL: `smtp://127.0.0.1:${mailPort}` }
    return startStack({
      dataDir,
      log: () => {},
      // Uploads that are under way go on through the other process.
      replicas: { uploads: 2 },
      // The test runner has a variable MODE of its own.
      env: { ...env, MODE: 'development', ...settings },
    })
  }
  const carryOut = async ({ method, args }: StackWish): Promise<unknown> => {
    started ??= start()
    const stack = await started
    if (method === 'describe') {
      const { address, addresses } = stack
      return { address, addresses, dataDir, mailPort } satisfies StackToKill
    }
    await (stack[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
    return {}
  }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const answer = await carryOut((await json(request)) as StackWish).then(
      (result) => ({ status: 200, text: JSON.stringify(result) }),
      (error: unknown) => ({ status: 500, text: String(error) }),
    )
    response.writeHead(answer.status).end(answer.text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env.PARLEY_STACK_TO_KILL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return async () => {
    server.closeAllConnections()
    server.close()
    const stack = await started?.catch(() => undefined)
    await stack?.stop({ discardData: true })
    if (process.env.KEEP_TEST_LOGS === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}
