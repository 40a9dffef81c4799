/** Signing by the specification of Standard Webhooks (standardwebhooks.com), symmetric form. */
import { createHmac, randomBytes } from 'node:crypto'

/** Bytes of a secret; the specification demands 24 to 64. */
const secretBytes = 32
const prefix = 'whsec_'

export const newSecret = (): string => `${prefix}${randomBytes(secretBytes).toString('base64')}`

/** "The HMAC is computed over `{id}.{timestamp}.{body}`", the key being what the base64 after the prefix stands for. */
const signature = (secret: string, id: string, timestamp: number, body: string): string => {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/**
 * The headers that let a receiver see that a call is ours, fresh and unchanged. During a rotation `secrets` are two, and
 * the signatures stand beside each other, separated by a space.
 */
export const signatureHeaders = (options: {
  secrets: readonly string[]
  id: string
  /** UNIX seconds. */
  timestamp: number
  body: string
}): Record<string, string> => {
  const { secrets, id, timestamp, body } = options
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signature(secret, id, timestamp, body)).join(' '),
  }
}
