import { mkdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Detour, freePorts } from '../machine/ports.ts'
import { type Log, withProgress } from '../machine/progress.ts'
import type { ManagedProcess, Supervisor } from '../machine/supervisor.ts'
import type { Secrets } from '../secrets.ts'
import type { Addresses, EngineName } from './engine.ts'
import type { FoundEngine } from './find-engines.ts'

const healthyWithin = 120_000
const attempts = 3

/** An engine in use: run by this launcher, or by somebody else (then it is never started or stopped here). */
export interface RunningEngine {
  readonly name: EngineName
  readonly from: FoundEngine['from']
  readonly addresses: Addresses
  readonly pid: number | undefined
  readonly port: number | undefined
  healthy(): Promise<boolean>
  /** Starts it again after a stop, on the same port and data; resolves when it is healthy. */
  start(): Promise<void>
  /** Ends it cleanly, or by `signal` when given; resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface RunOptions {
  supervisor: Supervisor
  secrets: Secrets
  log: Log
  signal: AbortSignal
  /** Stands between engines and who uses them. */
  detour?: Detour | undefined
}

/** Brings an engine up, resolved when it is healthy. Throws with the tail of its log when it does not come up. */
export async function runEngine(found: FoundEngine, options: RunOptions): Promise<RunningEngine> {
  return found.from === 'environment' ? await useExternal(found, options) : await runHere(found, options)
}

async function useExternal(
  found: Extract<FoundEngine, { from: 'environment' }>,
  { supervisor }: RunOptions,
): Promise<RunningEngine> {
  const { engine, addresses } = found
  if (!(await engine.healthy(addresses))) {
    const where = Object.keys(addresses)[0]!
    throw new Error(`${engine.name} does not answer at ${where}: start it, or unset ${where}`)
  }
  supervisor.ledger.state.engines.push({ name: engine.name, from: found.from, addresses })
  const notOurs = async () => {
    throw new Error(`${engine.name} is run by somebody else (its address comes from the environment)`)
  }
  return {
    name: engine.name,
    from: found.from,
    addresses,
    pid: undefined,
    port: undefined,
    healthy: () => engine.healthy(addresses),
    start: notOurs,
    stop: notOurs,
  }
}

async function runHere(
  found: Extract<FoundEngine, { installation: unknown }>,
  { supervisor, secrets, log, signal, detour }: RunOptions,
): Promise<RunningEngine> {
  const { engine, installation } = found
  const dataDir = `${supervisor.ledger.dataDir}/data`
  mkdirSync(dataDir, { recursive: true })
  const ports = await freePorts(engine.portCount)
  const run = {
    installation,
    dataDir,
    ports,
    clientPort: (await detour?.(engine.name, ports[0]!)) ?? ports[0]!,
    secret: (name: string) => secrets.get(name),
    signal,
  }
  const label = `${engine.name} ${installation.version} (${found.from}, ${installation.folder})`
  let current: ManagedProcess | undefined
  supervisor.startNewLog(engine.name)

  const tryOnce = async () => {
    signal.throwIfAborted()
    const command = await engine.prepare(run)
    signal.throwIfAborted()
    const port = run.ports[0]!
    const started = supervisor.start({ name: engine.name, kind: 'engine', port }, command)
    current = started
    const until = Date.now() + healthyWithin
    const addresses = engine.addresses(run)
    while (started.running && Date.now() < until && !signal.aborted) {
      if (await engine.healthy(addresses)) return true
      await Promise.race([pause(50), started.exited])
    }
    if (started.running) await started.stop()
    signal.throwIfAborted()
    return false
  }

  const start = () =>
    withProgress(log, `${label}: starting`, async () => {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        // A second try serves when a port was taken meanwhile, or the previous process is still letting go.
        if (await tryOnce()) return
      }
      throw new Error(`${label} does not start; the end of its log:\n${current?.logTail()}`)
    })

  await start()
  supervisor.ledger.state.engines.push({
    name: engine.name,
    from: found.from,
    addresses: engine.addresses(run),
  })
  supervisor.ledger.save()
  return {
    name: engine.name,
    from: found.from,
    addresses: engine.addresses(run),
    get pid() {
      return current?.running ? current.pid : undefined
    },
    port: run.ports[0],
    healthy: () => engine.healthy(engine.addresses(run)),
    start: async () => {
      if (!current?.running) await start()
    },
    async stop(by) {
      if (!current?.running) return
      if (by === undefined) return await current.stop()
      current.kill(by)
      await current.exited
    },
  }
}
