import { z } from 'zod'
import { internal } from '../internal.ts'
import { purgers } from '../realm-data.ts'
import { topic } from '../topic.ts'

/**
 * An organization whose data is being deleted for good. Keyed by its ID; a tombstone once nothing is left of it. So whoever
 * reads the topic from its beginning knows what is still to be done.
 */
const RealmEnd = z.object({
  realm_id: z.int(),
  /** ISO 8601. */
  begun_at: z.string(),
})

export const realmLifecycleTopic = topic('realm.lifecycle', {
  value: RealmEnd,
  compacted: true,
  partitions: 1,
})

/** A service has deleted all that it held of an organization, or some of it. */
export const reportPurge = internal({
  service: 'identity',
  name: 'report-purge',
  callers: purgers,
  input: z.object({
    realm_id: z.int(),
    /** Deleted since the last report. */
    rows: z.int(),
    is_done: z.boolean(),
  }),
  output: z.object({
    /** False for an organization that is not (any more) to be deleted. */
    goes_on: z.boolean(),
  }),
})
