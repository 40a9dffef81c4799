import { createHash } from 'node:crypto'
import { chown, mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { outputOf } from './commands.ts'

/** Under whose name a process runs, as `spawn` takes it. */
export interface User {
  uid: number
  gid: number
}

/** Whether this process is root, as whom PostgreSQL refuses to run. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The system's user called `name`. */
export async function userNamed(name: string): Promise<User | undefined> {
  const [uid, gid] = await Promise.all([outputOf('id', ['-u', name]), outputOf('id', ['-g', name])])
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/**
 * A folder `name` for the data of a process that runs as `user`: inside `dataDir` where that user can get to it,
 * else below /var/lib/parley, under a name derived from `dataDir`. Created and owned by that user.
 */
export async function folderFor(user: User | undefined, dataDir: string, name: string): Promise<string> {
  const folder = await folderPathFor(user, dataDir, name)
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (user) await chown(folder, user.uid, user.gid)
  return folder
}

/** Where `folderFor` puts the folder; `dataDir` must exist. */
export async function folderPathFor(user: User | undefined, dataDir: string, name: string): Promise<string> {
  if (!user || (await canTraverse(user, dataDir))) return join(dataDir, name)
  const hash = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return join('/var/lib/parley', `${hash}-${name}`)
}

async function canTraverse(user: User, folder: string): Promise<boolean> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const { uid, gid, mode } = await stat(path)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (path === dirname(path)) return true
  }
}
