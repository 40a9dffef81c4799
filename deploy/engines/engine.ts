import type { Command } from '../machine/supervisor.ts'

export const engineNames = ['postgres', 'redis', 'kafka', 'minio'] as const

export type EngineName = (typeof engineNames)[number]

/** How an engine is reached: environment variables for those who use it, such as `{ REDIS_URL: 'redis://...' }`. */
export type Addresses = Readonly<Record<string, string>>

/** Programs of an engine on this machine. */
export interface Installation {
  /** installed: by the system or by hand. cache: provisioned by an earlier start. */
  from: 'installed' | 'cache' | 'provisioned'
  /** Where its programs (or, for Kafka, its libraries) are. */
  folder: string
  version: string
}

/** How a missing engine would be got. */
interface Provisioning {
  /** In words, for the progress line: `go install github.com/...`. */
  how: string
  provision(signal: AbortSignal): Promise<Installation>
}

/** Why an engine can neither be found nor be got. */
interface Missing {
  reason: string
  /** The command (or two) that fixes it. */
  fix: string
}

/** One running of an engine: what its command is made of. */
export interface EngineRun {
  installation: Installation
  /** An absolute folder for everything that the engine stores; exists. */
  dataDir: string
  /** As many as `Engine.portCount`; on the first it listens for clients. */
  ports: readonly number[]
  /** Where clients find it: its first port, unless something stands between. */
  clientPort: number
  /** A generated secret that stays the same as long as the data does. */
  secret(name: string): string
  signal: AbortSignal
}

/** What each of the four files of this folder exports. */
export interface Engine {
  name: EngineName
  portCount: number
  /** The addresses given by the environment; undefined when its first variable is not set. Throws when half given. */
  addressesIn(env: NodeJS.ProcessEnv): Addresses | undefined
  /** Programs that are here already, the system's before the cache's. */
  installed(): Promise<Installation | undefined>
  /** How it can be got when it is not here. */
  provisioning(): Promise<Provisioning | Missing>
  /** Prepares the data folder (idempotently) and returns the process to start. */
  prepare(run: EngineRun): Promise<Command>
  addresses(run: EngineRun): Addresses
  /** Whether it serves clients now. Never throws; answers within two seconds. */
  healthy(addresses: Addresses): Promise<boolean>
}

/** `major.minor` or longer, compared number by number. */
export function atLeast(version: string, minimum: string): boolean {
  const [have, need] = [version, minimum].map((text) => text.split('.').map(Number))
  for (const [index, number] of need!.entries()) {
    const difference = (have![index] ?? 0) - number
    if (difference !== 0) return difference > 0
  }
  return true
}
