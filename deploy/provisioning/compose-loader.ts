import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram, outputOf, runCommand } from '../machine/commands.ts'
import { cachedOrBuilt } from './cache.ts'

const run = promisify(execFile)

/**
 * The library with which `docker compose` 2.40.3 reads its files, and its own command. Building the whole plugin takes
 * four minutes of CPU; this takes half a minute.
 */
const loaderVersion = 'v2.9.1'
const loaderPath = 'github.com/compose-spec/compose-go/v2/cmd'

/** Reads compose files as `docker compose config` does: each over those before it. */
export interface ComposeLoader {
  readonly name: string
  /** The whole model. @throws when one is not valid. */
  config(...paths: string[]): Promise<{ services: Record<string, unknown> }>
}

const json = async (program: string, args: string[]): Promise<{ services: Record<string, unknown> }> =>
  JSON.parse((await run(program, args, { maxBuffer: 16 * 1024 * 1024 })).stdout)

/** Docker's plugin where it is installed, else the library, built once by Go; the reason where neither can be had. */
export async function composeLoader(signal: AbortSignal): Promise<ComposeLoader | { reason: string }> {
  if ((await outputOf('docker', ['compose', 'version'])) !== undefined) {
    return {
      name: 'docker compose',
      config: (...paths) =>
        json('docker', ['compose', ...paths.flatMap((path) => ['-f', path]), 'config', '--format', 'json']),
    }
  }
  const go = await findProgram('go', ['/usr/local/go/bin'])
  if (go === undefined)
    return { reason: 'docker has no compose plugin here, and there is no Go to build its loader' }
  const folder = await cachedOrBuilt(`compose-go-${loaderVersion}`, signal, async (building) => {
    const env = { ...process.env, GOBIN: building, CGO_ENABLED: '0' }
    await runCommand(go, ['install', '-trimpath', `${loaderPath}@${loaderVersion}`], {
      cwd: building,
      env,
      signal,
    })
  })
  return {
    name: `compose-go ${loaderVersion}`,
    config: (...paths) => json(join(folder, 'cmd'), ['--format', 'json', ...paths]),
  }
}
