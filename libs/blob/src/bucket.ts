import { Client } from 'minio'

/** A bucket of any store that speaks the S3 protocol. */
export interface Bucket {
  readonly endpoint: string
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
  readonly name: string
}

/** Makes the bucket where it is missing. Two at a time are fine. */
export const createBucket = async ({
  endpoint,
  accessKey,
  secretKey,
  region,
  name,
}: Bucket): Promise<void> => {
  const { protocol, hostname, port } = new URL(endpoint)
  const client = new Client({
    endPoint: hostname,
    useSSL: protocol === 'https:',
    ...(port === '' ? {} : { port: Number(port) }),
    accessKey,
    secretKey,
    region,
  })
  try {
    if (!(await client.bucketExists(name))) await client.makeBucket(name, region)
  } catch (error) {
    if ((error as { code?: string }).code !== 'BucketAlreadyOwnedByYou') throw error
  }
}
