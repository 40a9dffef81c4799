import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cachedOrBuilt } from '../../deploy/provisioning/cache.ts'

const run = promisify(execFile)

/** Packages of clients that the tests run unmodified, by exact version. */
const packages = ['zulip==0.9.1', 'zulip-botserver==0.9.1']
const name = `python-clients-${packages.join('-').replaceAll(/[^\w.-]/g, '_')}`
/** Milliseconds that an installation may take on a machine that does much else. */
const patience = 280_000

/**
 * A Python with the published client packages, made once and kept in the user's cache folder.
 *
 * @returns the path of its interpreter. Commands are run as modules: the scripts beside it name the folder that it was
 *   made in.
 */
export const pythonWithClients = async (): Promise<string> => {
  const signal = AbortSignal.timeout(patience)
  const folder = await cachedOrBuilt(name, signal, async (making) => {
    await run('python3', ['-m', 'venv', making], { signal })
    await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages], { signal })
  })
  return join(folder, 'bin', 'python')
}
