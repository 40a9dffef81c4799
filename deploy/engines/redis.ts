import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findProgram, runCommand } from '../machine/commands.ts'
import { cached, cachedOrBuilt } from '../provisioning/cache.ts'
import {
  canInstallPackages,
  hasApt,
  installPackages,
  unpackPackages,
} from '../provisioning/system-packages.ts'
import { atLeast, type Engine, type EngineRun, type Installation } from './engine.ts'
import { firstAnswer } from './probe.ts'

const minimum = '6.2'
const cacheName = 'redis-debian'

export const redis: Engine = {
  name: 'redis',
  portCount: 1,

  addressesIn(env) {
    return env.REDIS_URL ? { REDIS_URL: env.REDIS_URL } : undefined
  },

  async installed() {
    const program = await findProgram('redis-server', ['/usr/local/bin', '/opt/homebrew/bin'])
    if (program) {
      const installation = await installationOf(program, 'installed')
      if (installation) return installation
    }
    const folder = await cached(cacheName)
    return folder === undefined ? undefined : await installationOf(unpackedProgram(folder), 'cache')
  },

  async provisioning() {
    if (await canInstallPackages()) {
      return {
        how: 'apt-get install redis-server',
        async provision(signal) {
          await installPackages(['redis-server'], signal)
          return await required(await findProgram('redis-server'))
        },
      }
    }
    if (await hasApt()) {
      return {
        how: "the system's package redis-server, unpacked into the cache folder",
        async provision(signal) {
          const folder = await cachedOrBuilt(cacheName, signal, (building) =>
            unpackPackages(['redis-server'], building, signal),
          )
          return await required(unpackedProgram(folder))
        },
      }
    }
    return {
      reason: `no redis-server >= ${minimum} is installed, and this system has no apt-get to get it with`,
      fix: process.platform === 'darwin' ? 'brew install redis' : 'install the package redis of your system',
    }
  },

  async prepare(run) {
    const folder = join(run.dataDir, 'redis')
    await mkdir(folder, { recursive: true })
    const settings: Record<string, string> = {
      bind: '127.0.0.1',
      port: String(run.ports[0]),
      dir: folder,
      daemonize: 'no',
      appendonly: 'yes',
      appendfsync: 'everysec',
      save: '',
      // What is stored must not be thrown away when memory runs short: refuse the write instead.
      'maxmemory-policy': 'noeviction',
    }
    return {
      program: join(run.installation.folder, 'redis-server'),
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      cwd: folder,
      env: libraryPath(run),
      stopSignal: 'SIGTERM',
      stopDeadline: 10_000,
    }
  },

  addresses(run) {
    return { REDIS_URL: `redis://127.0.0.1:${run.clientPort}` }
  },

  async healthy(addresses) {
    const url = new URL(addresses.REDIS_URL!)
    if (url.protocol === 'rediss:') return true
    const answer = await firstAnswer(url.hostname, Number(url.port || 6379), Buffer.from('PING\r\n'), 5)
    const text = answer?.toString('latin1') ?? ''
    return text.startsWith('+PONG') || text.startsWith('-NOAUTH')
  },
}

function unpackedProgram(folder: string): string {
  return join(folder, 'usr', 'bin', 'redis-server')
}

async function required(program: string | undefined): Promise<Installation> {
  const installation = program === undefined ? undefined : await installationOf(program, 'provisioned')
  if (!installation) throw new Error(`the provisioned redis-server is missing or older than ${minimum}`)
  return installation
}

async function installationOf(
  program: string,
  from: Installation['from'],
): Promise<Installation | undefined> {
  const folder = dirname(program)
  const text = await runCommand(program, ['--version'], {
    env: { ...process.env, ...libraryPath({ installation: { folder } }) },
  }).catch(() => undefined)
  const version = text?.match(/v=(\d+\.\d+\.\d+)/)?.[1]
  return version !== undefined && atLeast(version, minimum) ? { from, folder, version } : undefined
}

/** A program unpacked into the cache finds the libraries that were unpacked with it. */
function libraryPath(run: {
  installation: Pick<EngineRun['installation'], 'folder'>
}): Record<string, string> {
  const { folder } = run.installation
  if (!folder.includes(`/${cacheName}/`)) return {}
  const root = join(folder, '..', '..')
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
  return { LD_LIBRARY_PATH: ['usr/lib', 'lib'].map((path) => join(root, path, triplet)).join(':') }
}
