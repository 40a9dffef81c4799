import { z } from 'zod'
import { internal } from '../internal.ts'
import { ArchiveScope, dataQuestions } from '../realm-data.ts'

/** Which of some messages an archive of an organization has. */
export const archivedMessages = internal({
  service: 'channels',
  name: 'archived-messages',
  callers: ['uploads'],
  input: z.object({
    realm_id: z.int(),
    ...ArchiveScope.shape,
    message_ids: z.array(z.int()).max(10_000),
  }),
  output: z.object({ message_ids: z.array(z.int()) }),
  seconds: 60,
})

export const { readRealm, reserveIds, takeInRows, settleRealm, realmTraces } = dataQuestions('channels')
