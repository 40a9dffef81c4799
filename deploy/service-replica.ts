import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@parley/contracts'
import { checkout } from './checkout.ts'
import type { ManagedProcess, Supervisor } from './machine/supervisor.ts'

const readyWithin = 120_000
/** Longer than SHUTDOWN_SECONDS: the service's own deadline comes first. */
const stopDeadline = 15_000

/** One process of a service: its place (name, ports) stays, the process in it may be ended and started again. */
export class ServiceReplica {
  readonly service: ServiceName
  /** `channels`, and `channels-2` for a second one. */
  readonly name: string
  readonly port: number
  readonly opsPort: number
  readonly url: string
  readonly opsUrl: string
  readonly #supervisor: Supervisor
  readonly #environment: () => Record<string, string>
  #process: ManagedProcess | undefined
  /** Whose code runs in it from the next start on. */
  version = checkout

  /** `environment` is asked at each start, so that a restart sees replicas that were added meanwhile. */
  constructor(
    supervisor: Supervisor,
    place: { service: ServiceName; number: number; port: number; opsPort: number },
    environment: (ports: { port: number; opsPort: number }) => Record<string, string>,
  ) {
    this.service = place.service
    this.name = place.number === 1 ? place.service : `${place.service}-${place.number}`
    this.port = place.port
    this.opsPort = place.opsPort
    this.url = `http://127.0.0.1:${place.port}`
    this.opsUrl = `http://127.0.0.1:${place.opsPort}`
    this.#supervisor = supervisor
    this.#environment = () => environment(place)
    supervisor.startNewLog(this.name)
  }

  get pid(): number | undefined {
    return this.running ? this.#process?.pid : undefined
  }

  get running(): boolean {
    return this.#process?.running ?? false
  }

  /** Starts the process and resolves when it is ready; throws with the end of its log when it does not get ready. */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.running) return
    signal?.throwIfAborted()
    const { service, name, port, opsPort } = this
    const started = this.#supervisor.start(
      { name, kind: service === 'gateway' ? 'gateway' : 'service', port, opsPort },
      {
        program: process.execPath,
        args: [`services/${service}/src/main.ts`],
        cwd: this.version,
        env: this.#environment(),
        stopSignal: 'SIGTERM',
        stopDeadline,
      },
    )
    this.#process = started
    await this.#untilReady(started, signal)
  }

  async #untilReady(started: ManagedProcess, signal: AbortSignal | undefined): Promise<void> {
    const until = Date.now() + readyWithin
    while (started.running && Date.now() < until) {
      signal?.throwIfAborted()
      if (await this.ready()) return
      await Promise.race([pause(50), started.exited])
    }
    const how = started.running
      ? `is not ready after ${readyWithin / 1000} s`
      : `ended: ${await started.exited}`
    throw new Error(`${this.name} ${how}; the end of its log:\n${started.logTail()}`)
  }

  /** Whether it can serve now. */
  async ready(): Promise<boolean> {
    try {
      const reply = await fetch(`${this.opsUrl}/ready`, { signal: AbortSignal.timeout(3_000) })
      await reply.body?.cancel()
      return reply.status === 200
    } catch {
      return false
    }
  }

  /** Ends it in its own stages (SIGTERM), or kills it when that takes too long. */
  async stop(): Promise<void> {
    if (this.running) await this.#process?.stop()
  }

  /** Signals it; resolves when it has ended (at once after SIGSTOP and SIGCONT). */
  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#process?.kill(signal)
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await this.#process?.exited
  }
}
