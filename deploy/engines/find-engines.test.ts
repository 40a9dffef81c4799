import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findEngines } from './find-engines.ts'

const { signal } = new AbortController()
const log = () => {}
let cache: string

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'parley-cache-'))
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(cache, { recursive: true })
})

/** A machine on which no program is found. */
function bareMachine(): void {
  vi.stubEnv('PATH', '')
  vi.stubEnv('JAVA_HOME', '')
  vi.stubEnv('KAFKA_HOME', '')
  vi.stubEnv('XDG_CACHE_HOME', cache)
}

describe('where engines come from', () => {
  it('takes the URL in the environment before anything that is installed', async () => {
    const env = {
      DATABASE_URL: 'postgres://admin@db.internal/postgres',
      REDIS_URL: 'redis://cache.internal:6379',
      KAFKA_BROKERS: 'one.internal:9092,two.internal:9092',
      S3_ENDPOINT: 'https://store.internal',
      S3_ACCESS_KEY: 'key',
      S3_SECRET_KEY: 'secret',
    }
    const found = await findEngines({ env, log, signal })
    expect(found.map(({ from }) => from)).toEqual(Array(4).fill('environment'))
    const addresses = Object.assign({}, ...found.map((one) => 'addresses' in one && one.addresses))
    expect(addresses).toEqual({ ...env, S3_REGION: 'us-east-1' })
  })

  it('takes what is installed or cached before it provisions', async () => {
    const lines: string[] = []
    await findEngines({ env: {}, log, signal })
    const again = await findEngines({ env: {}, log: (line) => lines.push(line), signal })
    expect(again.map(({ from }) => from)).toSatisfy((froms: string[]) =>
      froms.every((from) => from === 'installed' || from === 'cache'),
    )
    expect(lines).toEqual([])
  })

  it('names an engine that cannot be had, with the command that fixes it', async () => {
    bareMachine()
    await expect(findEngines({ names: ['kafka'], env: {}, log, signal })).rejects.toThrow(
      /kafka: it needs Java >= 17 and Maven[\s\S]*fix it with: (apt-get install|brew install)/,
    )
  })

  it('provisions nothing when another engine cannot be had', async () => {
    bareMachine()
    const lines: string[] = []
    const finding = findEngines({
      names: ['minio', 'kafka'],
      env: {},
      log: (line) => lines.push(line),
      signal,
    })
    await expect(finding).rejects.toThrow(/kafka: /)
    expect(lines).toEqual([])
  })

  it('refuses a store given without its keys', async () => {
    const finding = findEngines({ env: { S3_ENDPOINT: 'https://store.internal' }, log, signal })
    await expect(finding).rejects.toThrow(/S3_ACCESS_KEY and S3_SECRET_KEY/)
  })
})
