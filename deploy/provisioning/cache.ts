import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { processIdentity, stillRuns } from '../machine/process-identity.ts'

/** Where provisioned engines are kept for every checkout of this user. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(base, 'parley')
}

/** The folder of a cached thing, or undefined when it was never made completely. */
export async function cached(name: string): Promise<string | undefined> {
  const folder = join(cacheFolder(), name)
  return (await exists(folder)) ? folder : undefined
}

/**
 * The cached folder `name`, made by `build` in a temporary folder when it is missing. It appears under its name
 * only when `build` has ended well, so what is cached is always complete. Of several processes that need it at
 * once, one builds and the others wait.
 */
export async function cachedOrBuilt(
  name: string,
  signal: AbortSignal,
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheFolder(), name)
  return await withCacheLock(name, signal, async () => {
    if (await exists(folder)) return folder
    const building = `${folder}.building.${process.pid}`
    try {
      await rm(building, { recursive: true, force: true })
      await mkdir(building, { recursive: true })
      await build(building)
      await rename(building, folder)
      return folder
    } finally {
      await rm(building, { recursive: true, force: true })
    }
  })
}

/** Runs `work` while no other process of this user is inside a lock of that name. */
export async function withCacheLock<T>(
  name: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(cacheFolder(), { recursive: true })
  const path = join(cacheFolder(), `${name}.lock`)
  while (!(await tryLock(path))) await pause(250, undefined, { signal })
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    await file.writeFile(JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) }))
    await file.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (await isAbandoned(path)) {
    // Renamed away and not removed in place: of several processes that see it abandoned, one gets the file.
    const taken = `${path}.abandoned.${process.pid}`
    await rename(path, taken).catch(() => {})
    await rm(taken, { force: true })
  }
  return false
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const text = await readFile(path, 'utf8')
    // Empty for the instant between its creation and its first write, or for ever after a crash in between.
    if (text === '') return Date.now() - (await stat(path)).mtimeMs > 5_000
    return !stillRuns(JSON.parse(text) as { pid: number; identity: string })
  } catch {
    return false
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
