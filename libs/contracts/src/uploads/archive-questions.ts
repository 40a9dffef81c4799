import { z } from 'zod'
import { internal } from '../internal.ts'
import { dataQuestions, IdShifts } from '../realm-data.ts'

/**
 * Stores the bytes of one file of an archive, which lies in the same object store, for a row that was taken in before.
 * Nothing happens when there is no such row, or the bytes are there already.
 */
export const takeInFile = internal({
  service: 'uploads',
  name: 'take-in-file',
  callers: ['identity'],
  input: z.object({
    realm_id: z.int(),
    shifts: IdShifts,
    /** Without the service's folder: `files/12`, `images/<name>`. */
    entry: z.string(),
    /** Where the file begins in the archive. */
    archive: z.object({ key: z.string(), offset: z.int(), size: z.int() }),
    origin: z.object({ realm_id: z.int() }),
  }),
  output: z.object({}),
  seconds: 600,
})

export const { readRealm, reserveIds, takeInRows, settleRealm, realmTraces } = dataQuestions('uploads')
