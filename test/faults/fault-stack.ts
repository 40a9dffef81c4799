import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Stack, startStack } from '../../deploy/stack.ts'

export interface FaultStack extends Stack {
  readonly dataDir: string
  end(): Promise<void>
}

/** A system of a test's own, to be killed in parts; `settings` are of its services. */
export const faultStack = async (settings: Record<string, string> = {}): Promise<FaultStack> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-faults-'))
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...env } = process.env
  // Engines of the shared stack must not be taken for this one's.
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT']) delete env[name]
  const stack = await startStack({
    dataDir,
    log: () => {},
    // The test runner has a variable MODE of its own.
    env: { ...env, MODE: 'development', CHECK_REPLIES: 'on', LOG_LEVEL: 'warn', ...settings },
  })
  return Object.assign(stack, {
    dataDir,
    end: async () => {
      await stack.stop({ discardData: true })
      if (process.env.KEEP_TEST_LOGS === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  })
}
