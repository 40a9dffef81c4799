import { join } from 'node:path'
import { startDataDir } from './checkout.ts'
import type { EngineName } from './engines/engine.ts'
import { engines } from './engines/find-engines.ts'
import { type RecordedProcess, readState, type StackState } from './machine/ledger.ts'
import { stillRuns } from './machine/process-identity.ts'

/** `npm run status`: every process and engine of this checkout's stack, as JSON. */
const state = readState(startDataDir)
const isRunning = state !== undefined && stillRuns(state.launcher)
console.log(
  JSON.stringify(
    isRunning
      ? {
          running: true,
          ready: state.ready,
          url: state.url ?? null,
          startedAt: state.startedAt,
          launcher: state.launcher.pid,
          logs: join(startDataDir, 'logs'),
          engines: await Promise.all(enginesOf(state)),
          services: await Promise.all(servicesOf(state)),
          observers: observersOf(state),
        }
      : { running: false },
    null,
    2,
  ),
)

function enginesOf(state: StackState) {
  return state.engines.map(async ({ name, from, addresses }) => {
    const ours = state.processes.find((recorded) => recorded.name === name)
    const healthy = await engines[name as EngineName].healthy(addresses)
    return { name, pid: pidOf(ours), port: ours?.port ?? portOf(addresses), healthy, from }
  })
}

function servicesOf(state: StackState) {
  return state.processes
    .filter(({ kind }) => kind === 'gateway' || kind === 'service')
    .map(async (recorded) => ({
      name: recorded.name,
      pid: pidOf(recorded),
      port: recorded.port,
      opsPort: recorded.opsPort,
      healthy: stillRuns(recorded) && (await isReady(recorded)),
      ...(recorded.died === undefined ? {} : { died: recorded.died }),
    }))
}

function observersOf(state: StackState) {
  return state.processes
    .filter(({ kind }) => kind === 'observer')
    .map((recorded) => ({ name: recorded.name, pid: pidOf(recorded), port: recorded.port }))
}

function pidOf(recorded: RecordedProcess | undefined): number | null {
  return recorded && stillRuns(recorded) ? recorded.pid : null
}

/** The port of an engine that somebody else runs: at the end of its first address. */
function portOf(addresses: Readonly<Record<string, string>>): number | null {
  const port = Object.values(addresses)[0]?.match(/:(\d+)(\/|$)/)?.[1]
  return port === undefined ? null : Number(port)
}

async function isReady({ opsPort }: RecordedProcess): Promise<boolean> {
  try {
    const reply = await fetch(`http://127.0.0.1:${opsPort}/ready`, { signal: AbortSignal.timeout(3_000) })
    return reply.status === 200
  } catch {
    return false
  }
}
