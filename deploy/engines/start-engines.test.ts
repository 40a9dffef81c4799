import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkout } from '../checkout.ts'
import { type RecordedProcess, readState, stateFile } from '../machine/ledger.ts'
import { processIdentity, stillRuns } from '../machine/process-identity.ts'
import { discardEngineData } from './discard-engine-data.ts'
import { type EngineName, engineNames } from './engine.ts'
import { startEngines } from './start-engines.ts'

const log = () => {}
let folders: string[]

beforeEach(() => {
  folders = []
})

afterEach(async () => {
  for (const folder of folders) {
    await discardEngineData(folder)
    await rm(folder, { recursive: true })
  }
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-engines-'))
  folders.push(folder)
  return folder
}

const start = (dataDir: string, engines: EngineName[] = ['redis'], signal?: AbortSignal) =>
  startEngines({ dataDir, engines, env: {}, log, ...(signal ? { signal } : {}) })

/** Sends one inline command to a Redis and returns its answer. */
async function redisSays(url: string, command: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`${command}\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return answer.toString().trim()
}

/** A launcher in a process of its own, whose engine is up. */
async function launcher(dataDir: string, engine: EngineName): Promise<ChildProcess> {
  const args = ['deploy/engines-only.ts', '--data', dataDir, '--engine', engine]
  // The engines of the test run are in the environment; these are to be its own.
  const { DATABASE_URL, REDIS_URL, KAFKA_BROKERS, S3_ENDPOINT, ...env } = process.env
  const child = spawn(process.execPath, args, { cwd: checkout, env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(createInterface(child.stdout!), 'line')
  return child
}

const noneRuns = (processes: readonly RecordedProcess[]) =>
  vi.waitFor(() => expect(processes.filter(stillRuns)).toEqual([]), { timeout: 20_000, interval: 50 })

describe('engines', () => {
  it('all four come up healthy, and nothing of them is left after the stop', async () => {
    const dataDir = await newFolder()
    const running = await start(dataDir, [...engineNames])
    const { processes } = readState(dataDir)!
    expect(processes.map(({ name }) => name).sort()).toEqual([...engineNames].sort())
    for (const engine of running.engines)
      expect([engine.name, await engine.healthy()]).toEqual([engine.name, true])
    await running.stop()
    expect(processes.filter(stillRuns)).toEqual([])
    expect(existsSync(stateFile(dataDir))).toBe(false)
  }, 90_000)

  it('keep their data, port and password over a stop and a start', async () => {
    const dataDir = await newFolder()
    const first = await start(dataDir)
    const url = first.addresses.REDIS_URL!
    expect(await redisSays(url, 'SET kept yes')).toBe('+OK')
    await first.engines[0]!.stop()
    expect(await first.engines[0]!.healthy()).toBe(false)
    await first.engines[0]!.start()
    expect(await redisSays(url, 'GET kept')).toBe('$3\r\nyes')
    await first.stop()
    const second = await start(dataDir)
    expect(await redisSays(second.addresses.REDIS_URL!, 'GET kept')).toBe('$3\r\nyes')
    await second.stop()
  }, 30_000)

  it('of two launchers run side by side, and see nothing of each other', async () => {
    const [one, other] = await Promise.all([start(await newFolder()), start(await newFolder())])
    await redisSays(one.addresses.REDIS_URL!, 'SET mine yes')
    expect(await redisSays(other.addresses.REDIS_URL!, 'GET mine')).toBe('$-1')
    await one.stop()
    expect(await other.engines[0]!.healthy()).toBe(true)
    await other.stop()
  }, 30_000)

  it('of a folder that another launcher uses are not started', async () => {
    const dataDir = await newFolder()
    const running = await start(dataDir)
    await expect(start(dataDir)).rejects.toThrow(/in use by launcher \d+/)
    expect(await running.engines[0]!.healthy()).toBe(true)
    await running.stop()
  }, 30_000)

  it('come up again on the same data after SIGKILL', async () => {
    const dataDir = await newFolder()
    const running = await start(dataDir, ['postgres'])
    const [engine] = running.engines
    await engine!.stop('SIGKILL')
    expect(engine!.pid).toBeUndefined()
    await engine!.start()
    expect(await engine!.healthy()).toBe(true)
    await running.stop()
  }, 60_000)

  it('are ended by the guardian when the launcher is killed', async () => {
    const dataDir = await newFolder()
    const child = await launcher(dataDir, 'redis')
    const { processes } = readState(dataDir)!
    expect(processes.filter(stillRuns)).toHaveLength(1)
    child.kill('SIGKILL')
    await noneRuns(processes)
    await vi.waitFor(() => expect(existsSync(stateFile(dataDir))).toBe(false), { timeout: 5_000 })
  }, 30_000)

  it('left by a launcher that was killed with its guardian are ended by the next start', async () => {
    const dataDir = await newFolder()
    const child = await launcher(dataDir, 'redis')
    const { processes, guardian } = readState(dataDir)!
    process.kill(guardian!.pid, 'SIGKILL')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(processes.filter(stillRuns)).toHaveLength(1)
    const next = await start(dataDir)
    expect(processes.filter(stillRuns)).toEqual([])
    await next.stop()
  }, 30_000)

  it('leave a process alone that has got the pid of one of theirs', async () => {
    const dataDir = await newFolder()
    const stranger = spawn('sleep', ['60'])
    const child = await launcher(dataDir, 'redis')
    const state = readState(dataDir)!
    const recycled = { ...state.processes[0]!, pid: stranger.pid! }
    expect(processIdentity(stranger.pid!)).toBeDefined()
    expect(stillRuns(recycled)).toBe(false)
    child.kill('SIGINT')
    await noneRuns(state.processes)
    expect(stranger.exitCode).toBeNull()
    stranger.kill('SIGKILL')
  }, 30_000)

  it('are not left behind by a start that is ended half-way', async () => {
    const dataDir = await newFolder()
    const ending = new AbortController()
    const starting = start(dataDir, ['kafka', 'postgres'], ending.signal)
    const refused = expect(starting).rejects.toThrow()
    await vi.waitFor(() => expect(readState(dataDir)?.processes.length).toBeGreaterThan(0), {
      timeout: 30_000,
    })
    const { processes } = readState(dataDir)!
    ending.abort()
    await refused
    expect(processes.filter(stillRuns)).toEqual([])
    expect(existsSync(stateFile(dataDir))).toBe(false)
  }, 60_000)
})
