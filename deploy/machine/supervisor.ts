import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { killGroup, lastLines } from './commands.ts'
import { Ledger, type RecordedProcess } from './ledger.ts'
import { processIdentity } from './process-identity.ts'
import type { User } from './users.ts'

/** A long-running process, ready to be started. */
export interface Command {
  program: string
  args: string[]
  cwd: string
  /** Its whole environment, apart from what every process needs (PATH, HOME, locale, time zone). */
  env?: Record<string, string>
  user?: User | undefined
  /** What makes it end cleanly. */
  stopSignal: NodeJS.Signals
  /** How long that may take before it is killed, ms. */
  stopDeadline: number
}

/** The end of a process that nobody had asked to end. */
export interface Death {
  name: string
  /** `exit code 1` or `killed by SIGSEGV`. */
  reason: string
  /** The last lines of its log. */
  tail: string
}

export type Started = Pick<RecordedProcess, 'name' | 'kind' | 'port' | 'opsPort'>

/** Starts processes in process groups of their own, logs them, records them, and ends them. */
export class Supervisor {
  readonly ledger: Ledger
  readonly logsDir: string
  readonly #guardian: ChildProcess
  readonly #onDeath: (death: Death) => void

  private constructor(ledger: Ledger, onDeath: (death: Death) => void) {
    this.ledger = ledger
    this.logsDir = join(ledger.dataDir, 'logs')
    this.#onDeath = onDeath
    mkdirSync(this.logsDir, { recursive: true })
    const script = fileURLToPath(new URL('guardian.ts', import.meta.url))
    this.#guardian = spawn(process.execPath, [script, ledger.dataDir, String(process.pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.#guardian.unref()
    if (this.#guardian.pid !== undefined) ledger.state.guardian = { pid: this.#guardian.pid }
    ledger.save()
  }

  /** Claims the data folder. Throws AlreadyRunning. `onDeath` hears of every process that ends unasked. */
  static async open(dataDir: string, onDeath: (death: Death) => void): Promise<Supervisor> {
    return new Supervisor(await Ledger.claim(dataDir), onDeath)
  }

  start(started: Started, command: Command): ManagedProcess {
    const logFile = this.logFile(started.name)
    const running = new ManagedProcess(started, command, logFile)
    const { pid } = running
    if (pid !== undefined) {
      // Gone already when it has no identity: then there is nothing to record.
      const identity = processIdentity(pid)
      if (identity !== undefined)
        this.ledger.add({ ...started, pid, identity, stopSignal: command.stopSignal })
    }
    void running.exited.then((reason) => {
      if (running.asked) {
        if (pid !== undefined) this.ledger.remove(pid)
        return
      }
      if (pid !== undefined) this.ledger.markDead(pid, reason)
      this.#onDeath({ name: started.name, reason, tail: running.logTail() })
    })
    return running
  }

  logFile(name: string): string {
    return join(this.logsDir, `${name}.log`)
  }

  /** Keeps the log of the previous run beside the new one. */
  startNewLog(name: string): void {
    const path = this.logFile(name)
    if (existsSync(path)) renameSync(path, join(this.logsDir, `${name}.previous.log`))
  }

  /** Gives the data folder up; everything that was started must have ended. */
  close(): void {
    this.ledger.release()
    this.#guardian.stdin?.end()
  }
}

/** One process and its end. */
export class ManagedProcess {
  readonly name: string
  readonly pid: number | undefined
  /** How it ended: `exit code 0`, `killed by SIGKILL`. */
  readonly exited: Promise<string>
  /** Whether its end was asked for, by stop() or kill(). */
  asked = false
  running = true
  readonly #command: Command
  readonly #logFile: string

  constructor(started: Started, command: Command, logFile: string) {
    this.name = started.name
    this.#command = command
    this.#logFile = logFile
    const log = openSync(logFile, 'a', 0o644)
    const child = spawn(command.program, command.args, {
      cwd: command.cwd,
      env: { ...everyProcess(), ...command.env },
      ...command.user,
      stdio: ['ignore', log, log],
      detached: true,
    })
    closeSync(log)
    this.pid = child.pid
    this.exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`))
    }).finally(() => {
      this.running = false
    })
  }

  /** Asks it to end and waits; kills it after its deadline. */
  async stop(): Promise<void> {
    this.kill(this.#command.stopSignal)
    const timer = setTimeout(() => this.kill('SIGKILL'), this.#command.stopDeadline)
    await this.exited
    clearTimeout(timer)
  }

  /** Signals it. SIGSTOP and SIGCONT do not count as asking it to end. */
  kill(signal: NodeJS.Signals): void {
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') this.asked = true
    if (this.running && this.pid !== undefined) killGroup(this.pid, signal)
  }

  logTail(lines = 20): string {
    return existsSync(this.#logFile) ? lastLines(readFileSync(this.#logFile, 'utf8'), lines) : ''
  }
}

function everyProcess(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'JAVA_HOME']
  const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
  return Object.fromEntries(
    [...names, ...certificates].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
