import { resolve } from 'node:path'
import type { Log } from '../machine/progress.ts'
import { Supervisor } from '../machine/supervisor.ts'
import { Secrets } from '../secrets.ts'
import type { Addresses, EngineName } from './engine.ts'
import { findEngines } from './find-engines.ts'
import { type RunningEngine, type RunOptions, runEngine } from './run-engine.ts'

export interface RunningEngines {
  engines: RunningEngine[]
  /** Of all engines together. */
  addresses: Addresses
  /** Ends those that were started here, all at once. */
  stop(): Promise<void>
}

export interface EnginesOptions {
  /** Folder for data, logs, secrets and state; one launcher at a time uses it. */
  dataDir: string
  /** All four unless given. */
  engines?: readonly EngineName[] | undefined
  /** Where engine URLs are looked for; process.env unless given. */
  env?: NodeJS.ProcessEnv
  log: Log
  /** Ends a start that is under way: it throws, with nothing left running. */
  signal?: AbortSignal
}

/**
 * Finds and starts engines without services, in a folder of their own.
 *
 * @throws EnginesMissing, AlreadyRunning; nothing is left running then.
 */
export async function startEngines(options: EnginesOptions): Promise<RunningEngines> {
  const { log, env = process.env, signal = new AbortController().signal } = options
  const dataDir = resolve(options.dataDir)
  let isUp = false
  const supervisor = await Supervisor.open(dataDir, ({ name, reason, tail }) => {
    // What dies while it starts is told by the error of the start.
    if (isUp) log(`${name} died (${reason}); the end of its log:\n${tail}`)
  })
  try {
    const secrets = new Secrets(dataDir)
    const running = await superviseEngines(options.engines, env, { supervisor, secrets, log, signal })
    isUp = true
    const stop = async () => {
      await running.stop()
      supervisor.close()
    }
    return { ...running, stop }
  } catch (error) {
    supervisor.close()
    throw error
  }
}

/** Finds and starts engines under an existing supervisor. Nothing is left running when it throws. */
export async function superviseEngines(
  names: readonly EngineName[] | undefined,
  env: NodeJS.ProcessEnv,
  options: RunOptions,
): Promise<RunningEngines> {
  const { log, signal } = options
  const found = await findEngines({ ...(names ? { names } : {}), env, log, signal })
  const engines: RunningEngine[] = []
  const stop = async () => {
    const ours = engines.filter((engine) => engine.from !== 'environment')
    await Promise.all(ours.map((engine) => engine.stop()))
  }
  const results = await Promise.allSettled(
    found.map(async (one) => {
      engines.push(await runEngine(one, options))
    }),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  const addresses = Object.assign({}, ...engines.map((engine) => engine.addresses))
  return { engines, addresses, stop }
}
