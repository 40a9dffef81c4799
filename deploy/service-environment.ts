import { type ServiceName, serviceNames } from '@parley/contracts'
import { compiledDir } from './checkout.ts'
import type { Addresses } from './engines/engine.ts'
import { type Keys, secretSetting } from './keys.ts'
import { databaseVariable, type ServiceWithDatabase, servicesWithDatabase } from './preparation.ts'
import { enginesOf } from './service-engines.ts'

/** What the environments of all services of one stack are made of. */
export interface Wiring {
  publicUrl: string
  addresses: Addresses
  databaseUrls: Record<ServiceWithDatabase, string>
  bucket: string
  keys: Keys
  /** Internal base URLs of each service, one per replica. */
  urls: Record<ServiceName, string[]>
  /** Settings from outside: LOG_LEVEL, RATE_LIMITS, TRACE_RATIO and whatever else a service declares. */
  settings: NodeJS.ProcessEnv
}

/** Never handed on as they are: each service gets the addresses of what it uses, as the role that it is. */
const ownedByLauncher = new Set([
  'DATABASE_URL',
  ...servicesWithDatabase.map(databaseVariable),
  'REDIS_URL',
  'KAFKA_BROKERS',
  'S3_ENDPOINT',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'S3_REGION',
  'SECRET_KEY',
  'SIGNING_KEY',
])

/** The variable that holds a service's internal base URLs: EVENT_QUEUE_URL. */
export function urlVariable(service: ServiceName): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_URL`
}

/** The environment of one process of a service: only what this service uses. */
export function serviceEnvironment(
  service: ServiceName,
  ports: { port: number; opsPort: number },
  wiring: Wiring,
): Record<string, string> {
  const { addresses, keys, settings } = wiring
  const engines = enginesOf(service)
  const pick = (...names: string[]) => Object.fromEntries(names.map((name) => [name, addresses[name]!]))
  const handedOn = Object.entries(settings).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !ownedByLauncher.has(entry[0]),
  )
  return {
    ...developmentDefaults,
    ...Object.fromEntries(handedOn),
    HOST: '127.0.0.1',
    PORT: String(ports.port),
    OPS_PORT: String(ports.opsPort),
    PUBLIC_URL: wiring.publicUrl,
    SIGNING_KEY: keys.signing[service],
    TRUSTED_KEYS: keys.trusted,
    ...Object.fromEntries(serviceNames.map((name) => [urlVariable(name), wiring.urls[name].join(',')])),
    ...pick('KAFKA_BROKERS'),
    ...(hasDatabase(service) ? { DATABASE_URL: wiring.databaseUrls[service] } : {}),
    ...(engines.includes('redis') ? pick('REDIS_URL') : {}),
    ...(engines.includes('object-store')
      ? {
          ...pick('S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_REGION'),
          S3_BUCKET: wiring.bucket,
        }
      : {}),
    ...secretSetting(service, keys),
  }
}

/** What makes a stack convenient on a developer's machine; the images have none of it. */
const developmentDefaults = {
  MODE: 'development',
  LOG_LEVEL: 'info',
  // A process starts in two thirds of the time when it does not have to compile everything again.
  NODE_COMPILE_CACHE: compiledDir,
  SHUTDOWN_SECONDS: '10',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
}

function hasDatabase(service: ServiceName): service is ServiceWithDatabase {
  return servicesWithDatabase.some((name) => name === service)
}
