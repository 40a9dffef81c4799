import { join } from 'node:path'
import { runCommand } from '../machine/commands.ts'
import { cachedOrBuilt } from './cache.ts'

/**
 * A Python with packages of exact versions (`zulip==0.9.1`), made once and kept in the user's cache folder.
 *
 * @returns the path of its interpreter.
 */
export const pythonWith = async (packages: readonly string[]): Promise<string> => {
  const { signal } = new AbortController()
  const name = `python-${packages.join('-').replaceAll(/[^\w.-]/g, '_')}`
  const folder = await cachedOrBuilt(name, signal, async (building) => {
    await runCommand('python3', ['-m', 'venv', building], { signal })
    await runCommand(join(building, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages], {
      signal,
    })
  })
  return join(folder, 'bin', 'python')
}
