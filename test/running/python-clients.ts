import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Packages of clients that the tests run unmodified, by exact version. */
const packages = ['zulip==0.9.1']

/**
 * A Python with the published client packages, made once and kept in the user's cache folder.
 *
 * @returns the path of its interpreter.
 */
export const pythonWithClients = async (): Promise<string> => {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const folder = join(cache, 'parley', `python-clients-${packages.join('-').replaceAll(/[^\w.-]/g, '_')}`)
  const python = join(folder, 'bin', 'python')
  if (existsSync(python)) return python
  const making = `${folder}.${process.pid}`
  await mkdir(join(cache, 'parley'), { recursive: true })
  await run('python3', ['-m', 'venv', making])
  await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages])
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }))
  return python
}
