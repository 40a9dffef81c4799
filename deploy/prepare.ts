import {
  databaseVariable,
  prepareEngines,
  type ServiceWithDatabase,
  servicesWithDatabase,
} from './preparation.ts'

/**
 * The one-shot job that runs before a new version's services start (compose, Kubernetes): databases, roles,
 * migrations, topics, bucket. Configured by the environment; safe to repeat.
 *
 *     <SERVICE>_DATABASE_URL   each service's own database, such as IDENTITY_DATABASE_URL
 *     DATABASE_URL             optional: an administrator's, to make the above
 *     KAFKA_BROKERS, KAFKA_REPLICATION (1), CLIENT_EVENTS_PARTITIONS (4)
 *     S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET, S3_REGION (us-east-1)
 */
const lacking: string[] = []
const required = (name: string): string => {
  const value = process.env[name]
  if (!value) lacking.push(name)
  return value ?? ''
}

const preparation = {
  adminUrl: process.env.DATABASE_URL || undefined,
  databaseUrls: Object.fromEntries(
    servicesWithDatabase.map((service) => [service, required(databaseVariable(service))]),
  ) as Record<ServiceWithDatabase, string>,
  brokers: required('KAFKA_BROKERS').split(','),
  partitions: Number(process.env.CLIENT_EVENTS_PARTITIONS || 4),
  replication: Number(process.env.KAFKA_REPLICATION || 1),
  bucket: {
    endpoint: required('S3_ENDPOINT'),
    accessKey: required('S3_ACCESS_KEY'),
    secretKey: required('S3_SECRET_KEY'),
    name: required('S3_BUCKET'),
    region: process.env.S3_REGION || 'us-east-1',
  },
}
if (lacking.length > 0) {
  console.error(`prepare: not set: ${lacking.join(', ')}`)
  process.exit(78)
}
try {
  await prepareEngines(preparation)
  console.log('prepare: databases, topics and bucket are in place')
} catch (error) {
  console.error('prepare:', error)
  process.exit(1)
}
