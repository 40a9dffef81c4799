import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'
import { checkout } from './checkout.ts'

it('the lockfile fits the manifests, so that a clean clone can be installed', async () => {
  const clone = await mkdtemp(join(tmpdir(), 'parley-clone-'))
  try {
    const lock = await readFile(join(checkout, 'package-lock.json'), 'utf8')
    const rooms = Object.keys(JSON.parse(lock).packages).filter((path) => !path.includes('node_modules'))
    const manifests = rooms.map((room) => join(room, 'package.json'))
    for (const path of [...manifests, 'package-lock.json', '.npmrc']) {
      await cp(join(checkout, path), join(clone, path), { recursive: true, force: true })
    }
    // Refused when the lockfile lacks anything, the packages of other platforms included.
    await promisify(execFile)('npm', ['ci', '--dry-run', '--loglevel=error'], { cwd: clone })
  } finally {
    await rm(clone, { recursive: true })
  }
})
