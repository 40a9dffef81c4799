import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTraceReceiver } from '@parley/testkit'
import { startStack } from '../../deploy/stack.ts'

/**
 * Starts the system once for a whole test run, on its own ports and data, and tells the workers by environment where
 * it is. A run that finds PARLEY_STACK set uses that stack and leaves it running.
 */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.PARLEY_STACK !== undefined) return undefined
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const traces = await startTraceReceiver()
  const stack = await startStack({
    dataDir,
    log: (line) => console.log(line),
    env: {
      ...process.env,
      CHECK_REPLIES: 'on',
      // Of effect in organizations that limit their guests only.
      CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: 'on',
      LOG_LEVEL: 'info',
      // Only requests that say so are traced.
      TRACE_RATIO: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    },
  })
  process.env.PARLEY_STACK = JSON.stringify(stack.address)
  process.env.PARLEY_TRACES = traces.url
  process.env.PARLEY_OPS = JSON.stringify(
    Object.fromEntries(stack.services.map(({ service, opsUrl }) => [service, opsUrl])),
  )
  process.env.PARLEY_LOGS = stack.logsDir
  process.env.PARLEY_SECRETS = join(dataDir, 'secrets-of-the-run')
  const own = [
    stack.address.manageKey,
    ...Object.values(stack.databaseUrls).map((url) => new URL(url).password),
  ]
  await appendFile(process.env.PARLEY_SECRETS, `${own.map((secret) => JSON.stringify(secret)).join('\n')}\n`)
  Object.assign(process.env, stack.addresses)
  return async () => {
    await stack.stop({ discardData: true })
    await traces.stop()
    if (process.env.KEEP_TEST_LOGS === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}
