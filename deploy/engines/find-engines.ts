import { type Log, withProgress } from '../machine/progress.ts'
import { type Addresses, type Engine, type EngineName, engineNames, type Installation } from './engine.ts'
import { kafka } from './kafka.ts'
import { minio } from './minio.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

export const engines: Readonly<Record<EngineName, Engine>> = { postgres, redis, kafka, minio }

/** An engine in reach: somebody else's by its addresses, or programs to run. */
export type FoundEngine =
  | { engine: Engine; from: 'environment'; addresses: Addresses }
  | { engine: Engine; from: Installation['from']; installation: Installation }

/** One or more engines can be neither found nor got; the message names each with the command that fixes it. */
class EnginesMissing extends Error {
  constructor(missing: { name: EngineName; reason: string; fix: string }[]) {
    const lines = missing.map(({ name, reason, fix }) => `  ${name}: ${reason}\n    fix it with: ${fix}`)
    super(`Not everything that Parley runs on can be had here:\n${lines.join('\n')}`)
    this.name = 'EnginesMissing'
  }
}

export interface FindOptions {
  names?: readonly EngineName[]
  env: NodeJS.ProcessEnv
  log: Log
  /** Ends provisioning. */
  signal: AbortSignal
}

/**
 * Finds each engine: its URL in the environment, else programs installed here or cached, else provisioned.
 * Nothing is provisioned when another engine cannot be had at all. Throws EnginesMissing.
 */
export async function findEngines({
  names = engineNames,
  env,
  log,
  signal,
}: FindOptions): Promise<FoundEngine[]> {
  const plans = await Promise.all(names.map((name) => plan(engines[name], env)))
  const missing = plans.flatMap((planned) => ('missing' in planned ? [planned.missing] : []))
  if (missing.length > 0) throw new EnginesMissing(missing)
  const found = await Promise.allSettled(plans.map((planned) => carryOut(planned, log, signal)))
  const failed = plans.flatMap((planned, index) => {
    const result = found[index]!
    return result.status === 'rejected' && 'provisioning' in planned ? [failure(planned, result.reason)] : []
  })
  signal.throwIfAborted()
  if (failed.length > 0) throw new EnginesMissing(failed)
  return found.map((result) => (result as PromiseFulfilledResult<FoundEngine>).value)
}

type Plan =
  | { found: FoundEngine }
  | { engine: Engine; provisioning: Extract<Awaited<ReturnType<Engine['provisioning']>>, { how: string }> }
  | { missing: { name: EngineName; reason: string; fix: string } }

async function plan(engine: Engine, env: NodeJS.ProcessEnv): Promise<Plan> {
  const addresses = engine.addressesIn(env)
  if (addresses) return { found: { engine, from: 'environment', addresses } }
  const installation = await engine.installed()
  if (installation) return { found: { engine, from: installation.from, installation } }
  const way = await engine.provisioning()
  return 'how' in way ? { engine, provisioning: way } : { missing: { name: engine.name, ...way } }
}

async function carryOut(planned: Plan, log: Log, signal: AbortSignal): Promise<FoundEngine> {
  if ('found' in planned) return planned.found
  if ('missing' in planned) throw new Error(planned.missing.reason)
  const { engine, provisioning } = planned
  const installation = await withProgress(log, `${engine.name}: ${provisioning.how}`, () =>
    provisioning.provision(signal),
  )
  return { engine, from: 'provisioned', installation }
}

function failure({ engine, provisioning }: Extract<Plan, { engine: Engine }>, reason: unknown) {
  const message = reason instanceof Error ? reason.message : String(reason)
  return { name: engine.name, reason: `could not be provisioned: ${message}`, fix: provisioning.how }
}
