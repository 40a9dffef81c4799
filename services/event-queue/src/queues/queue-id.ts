import { randomBytes } from 'node:crypto'

/** A queue's place in the log, which is its name in the shard, and the secret that proves its owner's claim. */
export interface QueueId {
  readonly shard: number
  /** Offset of the record that opened the queue. */
  readonly queue: number
  readonly secret: string
}

export const newSecret = (): string => randomBytes(16).toString('base64url')

/** The opaque text that clients are given. */
export const formatQueueId = ({ shard, queue, secret }: QueueId): string => `${shard}:${queue}:${secret}`

const form = /^(\d{1,6}):(\d{1,14}):([\w-]{22})$/

/** Undefined for a text that was never an ID of ours. */
export const parseQueueId = (text: string): QueueId | undefined => {
  const match = form.exec(text)
  if (match === null) return undefined
  return { shard: Number(match[1]), queue: Number(match[2]), secret: match[3]! }
}
