import {
  databaseVariable,
  type Preparation,
  prepareEngines,
  type ServiceWithDatabase,
  servicesWithDatabase,
} from './preparation.ts'

/**
 * The one-shot job that runs before a new version's services start (compose, Kubernetes): databases, roles,
 * migrations, topics, bucket. Arguments name the parts (`topics`, `bucket`, a service for its database); none means
 * all. Configured by the environment, of which only what the parts need must be set; safe to repeat.
 *
 *     <SERVICE>_DATABASE_URL   each service's own database, such as IDENTITY_DATABASE_URL
 *     DATABASE_URL             optional: an administrator's, to make the above
 *     KAFKA_BROKERS, KAFKA_CA_FILE, KAFKA_USERNAME, KAFKA_PASSWORD, KAFKA_REPLICATION (1), CLIENT_EVENTS_PARTITIONS (4)
 *     S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET, S3_REGION (us-east-1)
 */
const all = ['topics', 'bucket', ...servicesWithDatabase] as const
type Part = (typeof all)[number]

const { env } = process
const unknown = process.argv.slice(2).filter((part) => !all.includes(part as Part))
if (unknown.length > 0) {
  console.error(`prepare: no such part: ${unknown.join(', ')}; there are ${all.join(', ')}`)
  process.exit(2)
}
const parts = new Set(process.argv.length > 2 ? (process.argv.slice(2) as Part[]) : all)

const lacking: string[] = []
const required = (name: string): string => {
  const value = env[name]
  if (!value) lacking.push(name)
  return value ?? ''
}

const databases = servicesWithDatabase.filter((service) => parts.has(service))
const preparation: Preparation = {
  adminUrl: env.DATABASE_URL || undefined,
  databaseUrls: Object.fromEntries(
    databases.map((service) => [service, required(databaseVariable(service))]),
  ) as Partial<Record<ServiceWithDatabase, string>>,
  ...(parts.has('topics')
    ? {
        topics: {
          brokers: required('KAFKA_BROKERS').split(','),
          caFile: env.KAFKA_CA_FILE || undefined,
          username: env.KAFKA_USERNAME || undefined,
          password: env.KAFKA_PASSWORD || undefined,
          partitions: Number(env.CLIENT_EVENTS_PARTITIONS || 4),
          replication: Number(env.KAFKA_REPLICATION || 1),
        },
      }
    : {}),
  ...(parts.has('bucket')
    ? {
        bucket: {
          endpoint: required('S3_ENDPOINT'),
          accessKey: required('S3_ACCESS_KEY'),
          secretKey: required('S3_SECRET_KEY'),
          name: required('S3_BUCKET'),
          region: env.S3_REGION || 'us-east-1',
        },
      }
    : {}),
}
if (lacking.length > 0) {
  console.error(`prepare: not set: ${lacking.join(', ')}`)
  process.exit(78)
}
try {
  await prepareEngines(preparation)
  console.log(`prepare: in place: ${[...parts].join(', ')}`)
} catch (error) {
  console.error('prepare:', error)
  process.exit(1)
}
