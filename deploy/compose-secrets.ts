import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@parley/contracts'
import { startDataDir } from './checkout.ts'
import { secretSetting, stackKeys } from './keys.ts'
import { databaseVariable, servicesWithDatabase } from './preparation.ts'
import { Secrets } from './secrets.ts'
import { enginesOf } from './service-engines.ts'

/**
 * `npm run compose-secrets`: generates what the containers of compose.yaml keep secret, one file per container, so
 * that each gets only its own. Run again, it keeps what exists.
 */
const folder = join(startDataDir, 'compose')
mkdirSync(folder, { recursive: true, mode: 0o700 })
const secrets = new Secrets(folder)
const keys = stackKeys(secrets)
const postgresPassword = secrets.get('postgres-password')
const storeSecret = secrets.get('s3-secret-key')
const store = { S3_ACCESS_KEY: 'parley', S3_SECRET_KEY: storeSecret }

const databaseUrls = Object.fromEntries(
  servicesWithDatabase.map((service) => {
    const name = `parley_${service.replaceAll('-', '_')}`
    const password = secrets.get(`database-password-${service}`)
    return [service as string, `postgres://${name}:${password}@postgres:5432/${name}`]
  }),
)

write('postgres', { POSTGRES_PASSWORD: postgresPassword })
write('minio', { MINIO_ROOT_USER: 'parley', MINIO_ROOT_PASSWORD: storeSecret })
write('prepare', {
  DATABASE_URL: `postgres://postgres:${postgresPassword}@postgres:5432/postgres`,
  ...Object.fromEntries(
    servicesWithDatabase.map((service) => [databaseVariable(service), databaseUrls[service]!]),
  ),
  ...store,
})
write('manage', { SIGNING_KEY: keys.signing.manage, ...store })
for (const service of serviceNames) {
  const databaseUrl = databaseUrls[service]
  write(service, {
    SIGNING_KEY: keys.signing[service],
    TRUSTED_KEYS: keys.trusted,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...secretSetting(service, keys),
    ...(enginesOf(service).includes('object-store') ? store : {}),
  })
}
console.log(`Secrets are in ${folder}`)

function write(container: string, values: Record<string, string>): void {
  // In single quotes nothing is special: TRUSTED_KEYS is JSON.
  const lines = Object.entries(values).map(([name, value]) => `${name}='${value}'\n`)
  writeFileSync(join(folder, `${container}.env`), lines.join(''), { mode: 0o600 })
}
