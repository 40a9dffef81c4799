import { resolve } from 'node:path'
import type { Addresses, EngineName } from './engines/engine.ts'
import { findEngines } from './engines/find-engines.ts'
import { type RunningEngine, runEngine } from './engines/run-engine.ts'
import type { Log } from './machine/progress.ts'
import { type Death, Supervisor } from './machine/supervisor.ts'
import { Secrets } from './secrets.ts'

export interface EnginesOptions {
  /** Folder for data, logs, secrets and state; one stack at a time uses it. */
  dataDir: string
  engines?: readonly EngineName[]
  env?: NodeJS.ProcessEnv
  log: Log
  signal?: AbortSignal
}

export interface RunningEngines {
  engines: RunningEngine[]
  addresses: Addresses
  stop(): Promise<void>
}

/** Finds and starts engines alone. Throws EnginesMissing, AlreadyRunning; leaves nothing running when it throws. */
export async function startEngines(options: EnginesOptions): Promise<RunningEngines> {
  const { log, env = process.env, signal = new AbortController().signal } = options
  const dataDir = resolve(options.dataDir)
  const reportDeath = (death: Death) => log(`${death.name} died (${death.reason}); its last lines:\n${death.tail}`)
  const supervisor = await Supervisor.open(dataDir, reportDeath)
  const secrets = new Secrets(dataDir)
  const engines: RunningEngine[] = []
  const stop = async () => {
    const ours = engines.filter((engine) => engine.from !== 'environment')
    await Promise.all(ours.map((engine) => engine.stop()))
    supervisor.close()
  }
  try {
    const found = await findEngines({ ...(options.engines ? { names: options.engines } : {}), env, log, signal })
    const run = { supervisor, secrets, log, signal }
    const results = await Promise.allSettled(
      found.map(async (one) => {
        engines.push(await runEngine(one, run))
      }),
    )
    for (const result of results) if (result.status === 'rejected') throw result.reason
  } catch (error) {
    await stop()
    throw error
  }
  return { engines, addresses: Object.assign({}, ...engines.map((engine) => engine.addresses)), stop }
}
