import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cached, cachedOrBuilt } from './cache.ts'

const { signal } = new AbortController()
const module = new URL('cache.ts', import.meta.url).href
let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-cache-'))
  vi.stubEnv('XDG_CACHE_HOME', home)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(home, { recursive: true })
})

/** Another process that builds `thing`, writing to `built` once per build, and (when told) dies in the middle. */
function builder(built: string, end: 'completes' | 'dies') {
  const script = `
    import { appendFile } from 'node:fs/promises'
    import { setTimeout as pause } from 'node:timers/promises'
    import { cachedOrBuilt } from ${JSON.stringify(module)}
    await cachedOrBuilt('thing', new AbortController().signal, async (folder) => {
      await appendFile(${JSON.stringify(built)}, 'x')
      await appendFile(folder + '/half', '1')
      ${end === 'dies' ? "process.kill(process.pid, 'SIGKILL')" : 'await pause(300)'}
      await appendFile(folder + '/half', '2')
    })`
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

describe('the cache of provisioned engines', () => {
  it('is filled once when several processes need the same thing at once', async () => {
    const built = join(home, 'built')
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => once(builder(built, 'completes'), 'exit')),
    )
    expect(codes.map(([code]) => code)).toEqual([0, 0, 0, 0])
    expect(await readFile(built, 'utf8')).toBe('x')
    expect(await readFile(join((await cached('thing'))!, 'half'), 'utf8')).toBe('12')
  }, 20_000)

  it('never shows a half-built thing, and a killed builder does not lock others out', async () => {
    const built = join(home, 'built')
    await once(builder(built, 'dies'), 'exit')
    expect(await cached('thing')).toBeUndefined()
    const folder = await cachedOrBuilt('thing', signal, (building) => writeFile(join(building, 'whole'), ''))
    expect(await readdir(folder)).toEqual(['whole'])
    expect(existsSync(join(home, 'parley', 'thing.lock'))).toBe(false)
  }, 20_000)

  it('keeps nothing of a build that failed', async () => {
    const building = cachedOrBuilt('thing', signal, async (folder) => {
      await appendFile(join(folder, 'half'), '1')
      throw new Error('no network')
    })
    await expect(building).rejects.toThrow('no network')
    expect(await readdir(join(home, 'parley'))).toEqual([])
  })
})
