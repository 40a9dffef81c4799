import { type BlobStore, openBlobStore } from '@parley/blob'
import type { KafkaAccess } from '@parley/bus'
import { type Ask, internalClient, tokenSigner } from '@parley/kit'
import { startDataDir } from '../checkout.ts'
import { readState } from '../machine/ledger.ts'
import { stillRuns } from '../machine/process-identity.ts'

/** Neither the environment nor this checkout says where identity is. */
export class NoStack extends Error {
  constructor() {
    super(
      'no running stack: start one (npm start), or set IDENTITY_URL and SIGNING_KEY (of the issuer manage)',
    )
    this.name = 'NoStack'
  }
}

/**
 * Asks services as the issuer `manage`. Both variables come from the environment (in a pod), else from the stack
 * that runs in this checkout.
 *
 * @throws NoStack
 */
export function openManage(env: NodeJS.ProcessEnv): Ask {
  const { IDENTITY_URL: url, SIGNING_KEY: key } = env.IDENTITY_URL && env.SIGNING_KEY ? env : ofThisCheckout()
  if (!url || !key) throw new NoStack()
  return internalClient({ config: { IDENTITY_URL: url.split(',') }, signer: tokenSigner('manage', key) })
}

/**
 * The Kafka of the same stack, for what is asked of no service.
 *
 * @throws NoStack
 */
export function kafkaAccess(env: NodeJS.ProcessEnv): KafkaAccess {
  const brokers = env.KAFKA_BROKERS || ofThisCheckout().KAFKA_BROKERS
  if (!brokers) throw new NoStack()
  return {
    brokers: brokers.split(','),
    caFile: env.KAFKA_CA_FILE || undefined,
    username: env.KAFKA_USERNAME || undefined,
    password: env.KAFKA_PASSWORD || undefined,
  }
}

/**
 * The object store of the same stack, for archives.
 *
 * @throws NoStack, EngineUnavailableError
 */
export function objectStore(env: NodeJS.ProcessEnv): Promise<BlobStore> {
  const { S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION, S3_BUCKET } =
    env.S3_ENDPOINT && env.S3_BUCKET ? env : ofThisCheckout()
  if (!S3_ENDPOINT || !S3_ACCESS_KEY || !S3_SECRET_KEY || !S3_BUCKET) throw new NoStack()
  return openBlobStore({
    endpoint: S3_ENDPOINT,
    accessKey: S3_ACCESS_KEY,
    secretKey: S3_SECRET_KEY,
    region: S3_REGION ?? 'us-east-1',
    bucket: S3_BUCKET,
  })
}

function ofThisCheckout(): NodeJS.ProcessEnv {
  const state = readState(startDataDir)
  return state?.manage && stillRuns(state.launcher) ? state.manage : {}
}
