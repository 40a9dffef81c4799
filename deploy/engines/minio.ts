import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findProgram, outputOf, runCommand } from '../machine/commands.ts'
import { cached, cachedOrBuilt } from '../provisioning/cache.ts'
import type { Engine, Installation } from './engine.ts'

/** The last commit of the public repository, with all security fixes that it got. */
const minioVersion = 'v0.0.0-20260212201848-7aac2a2c5b7c'
const cacheName = `minio-${minioVersion}`
const minimumGo = '1.24'
const region = 'us-east-1'

export const minio: Engine = {
  name: 'minio',
  portCount: 1,

  addressesIn(env) {
    const endpoint = env.S3_ENDPOINT
    if (!endpoint) return undefined
    const [accessKey, secretKey] = [env.S3_ACCESS_KEY, env.S3_SECRET_KEY]
    if (!accessKey || !secretKey)
      throw new Error('S3_ENDPOINT is set: set S3_ACCESS_KEY and S3_SECRET_KEY too')
    return {
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY: accessKey,
      S3_SECRET_KEY: secretKey,
      S3_REGION: env.S3_REGION || region,
    }
  },

  async installed() {
    const program = await findProgram('minio', ['/usr/local/bin', '/opt/homebrew/bin'])
    if (program) return await installationOf(dirname(program), 'installed')
    const folder = await cached(cacheName)
    return folder === undefined ? undefined : await installationOf(folder, 'cache')
  },

  async provisioning() {
    const go = await findProgram('go', ['/usr/local/go/bin'])
    if (go === undefined) {
      const fix =
        process.platform === 'darwin' ? 'brew install go' : 'install Go, see https://go.dev/doc/install'
      return { reason: `it needs Go >= ${minimumGo} to be built with`, fix }
    }
    const what = `github.com/minio/minio@${minioVersion}`
    return {
      how: `go install ${what}`,
      async provision(signal) {
        const folder = await cachedOrBuilt(cacheName, signal, async (building) => {
          const env = { ...process.env, GOBIN: building, CGO_ENABLED: '0' }
          await runCommand(go, ['install', '-trimpath', '-ldflags', '-s -w', what], {
            cwd: building,
            env,
            signal,
          })
        })
        return await installationOf(folder, 'provisioned')
      },
    }
  },

  async prepare(run) {
    const folder = join(run.dataDir, 'minio')
    await mkdir(folder, { recursive: true })
    return {
      program: join(run.installation.folder, 'minio'),
      args: ['server', folder, '--address', `127.0.0.1:${run.ports[0]}`, '--quiet'],
      cwd: folder,
      env: {
        MINIO_ROOT_USER: 'parley',
        MINIO_ROOT_PASSWORD: run.secret('s3-secret-key'),
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
        HOME: run.dataDir,
      },
      stopSignal: 'SIGTERM',
      stopDeadline: 10_000,
    }
  },

  addresses(run) {
    return {
      S3_ENDPOINT: `http://127.0.0.1:${run.clientPort}`,
      S3_ACCESS_KEY: 'parley',
      S3_SECRET_KEY: run.secret('s3-secret-key'),
      S3_REGION: region,
    }
  },

  async healthy(addresses) {
    try {
      const url = new URL('/minio/health/live', addresses.S3_ENDPOINT)
      const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) })
      await reply.body?.cancel()
      // Another store than MinIO refuses the path, which shows as well that it serves.
      return reply.status < 500
    } catch {
      return false
    }
  },
}

async function installationOf(folder: string, from: Installation['from']): Promise<Installation> {
  const text = (await outputOf(join(folder, 'minio'), ['--version'])) ?? ''
  const version = text.match(/RELEASE\.\S+/)?.[0] ?? minioVersion
  return { from, folder, version }
}
