import { z } from 'zod'
import { event } from '../event.ts'

/** Nothing else happened for 45 to 55 seconds: the connection lives. */
export const heartbeat = event({ type: 'heartbeat', fields: {} })

/**
 * The server was upgraded, or set back: it may know more than the client was told when it registered. A process that comes
 * back as it was goes on with its queues, of which clients need not hear.
 */
export const restart = event({
  type: 'restart',
  fields: {
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    zulip_feature_level: z.int(),
    /** UNIX seconds: since when it is so. */
    server_generation: z.int(),
  },
})
