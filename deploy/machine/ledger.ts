import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { killGroup } from './commands.ts'
import { processIdentity, stillRuns } from './process-identity.ts'

/** A process that a launcher started, with what is needed to end it should the launcher be gone. */
export interface RecordedProcess {
  name: string
  kind: 'gateway' | 'service' | 'engine' | 'observer'
  pid: number
  identity: string
  /** Its port for clients. */
  port: number
  /** Its port for health, readiness and metrics. */
  opsPort?: number
  stopSignal: NodeJS.Signals
  /** How it ended, when nobody had asked it to. */
  died?: string
}

/** An engine in use that somebody else runs, or whose process is among `processes`. */
interface RecordedEngine {
  name: string
  from: string
  addresses: Readonly<Record<string, string>>
}

/** What `status`, `stop`, `manage` and the next start know of a stack. */
export interface StackState {
  launcher: { pid: number; identity: string }
  /** The process that ends everything should the launcher be killed. */
  guardian?: { pid: number }
  startedAt: string
  ready: boolean
  url?: string
  /** Environment for management commands. */
  manage?: Record<string, string>
  engines: RecordedEngine[]
  processes: RecordedProcess[]
}

/** Another launcher runs a stack on the same data. */
class AlreadyRunning extends Error {
  readonly state: StackState
  constructor(dataDir: string, state: StackState) {
    super(`${dataDir} is in use by launcher ${state.launcher.pid}${state.url ? ` at ${state.url}` : ''}`)
    this.name = 'AlreadyRunning'
    this.state = state
  }
}

export function stateFile(dataDir: string): string {
  return join(dataDir, 'state.json')
}

/** The state left in a data folder, by a launcher that runs or ran. */
export function readState(dataDir: string): StackState | undefined {
  try {
    return JSON.parse(readFileSync(stateFile(dataDir), 'utf8')) as StackState
  } catch {
    return undefined
  }
}

/** This launcher's claim on a data folder and its list of what it started, on disk at every moment. */
export class Ledger {
  readonly dataDir: string
  readonly state: StackState

  private constructor(dataDir: string, state: StackState) {
    this.dataDir = dataDir
    this.state = state
  }

  /** Claims `dataDir`; ends first what a launcher left there that was killed. Throws AlreadyRunning. */
  static async claim(dataDir: string): Promise<Ledger> {
    mkdirSync(dataDir, { recursive: true })
    const identity = processIdentity(process.pid)!
    const launcher = { pid: process.pid, identity }
    const startedAt = new Date().toISOString()
    const ledger = new Ledger(dataDir, { launcher, startedAt, ready: false, engines: [], processes: [] })
    for (;;) {
      try {
        writeFileSync(stateFile(dataDir), JSON.stringify(ledger.state), { flag: 'wx', mode: 0o600 })
        return ledger
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const left = readState(dataDir)
      if (left && stillRuns(left.launcher)) throw new AlreadyRunning(dataDir, left)
      if (left) await stopRecorded(left)
      rmSync(stateFile(dataDir), { force: true })
    }
  }

  add(recorded: RecordedProcess): void {
    const others = this.state.processes.filter((other) => other.name !== recorded.name)
    this.state.processes = [...others, recorded]
    this.save()
  }

  /** Keeps a process that ended unasked on the list, for `status`. */
  markDead(pid: number, reason: string): void {
    const recorded = this.state.processes.find((one) => one.pid === pid)
    if (recorded) recorded.died = reason
    this.save()
  }

  remove(pid: number): void {
    this.state.processes = this.state.processes.filter((recorded) => recorded.pid !== pid)
    this.save()
  }

  save(): void {
    const path = stateFile(this.dataDir)
    writeFileSync(`${path}.new`, JSON.stringify(this.state, null, 2), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }

  release(): void {
    rmSync(stateFile(this.dataDir), { force: true })
  }
}

const stages: { kind: RecordedProcess['kind']; deadline: number }[] = [
  { kind: 'gateway', deadline: 10_000 },
  { kind: 'service', deadline: 10_000 },
  { kind: 'engine', deadline: 20_000 },
]

/** Ends the recorded processes that still run and are still the same: gateway, then services, then engines. */
export async function stopRecorded(state: StackState): Promise<void> {
  for (const { kind, deadline } of stages) {
    const processes = state.processes.filter((recorded) => recorded.kind === kind)
    await Promise.all(processes.map((recorded) => stopProcess(recorded, deadline)))
  }
}

async function stopProcess(recorded: RecordedProcess, deadline: number): Promise<void> {
  const until = Date.now() + deadline
  if (!stillRuns(recorded)) return
  killGroup(recorded.pid, recorded.stopSignal)
  while (stillRuns(recorded)) {
    if (Date.now() > until) killGroup(recorded.pid, 'SIGKILL')
    await pause(50)
  }
}
