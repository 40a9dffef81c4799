import { filesInUse } from '@parley/contracts/channels/internals'
import { attachmentRemove } from '@parley/contracts/uploads/events'
import type { Database } from '@parley/db'
import { type Ask, inTransaction, type Running } from '@parley/kit'
import { type FileRow, fileColumns } from '../files/file-store.ts'
import { filePrefix, objectKey } from '../files/name-rules.ts'
import { addSpaceUsed } from '../files/usage-store.ts'
import { dropObjects } from '../objects/loose-store.ts'
import { repeating } from '../objects/repeating.ts'
import type { Log } from '../room.ts'
import { dropThumbnails } from '../thumbnails/thumbnail-store.ts'

/** Files of one round: channels searches everything that people wrote for each of them. */
const portion = 20
/** Milliseconds between rounds. */
const pause = 60_000

interface Parts {
  readonly database: Database
  readonly ask: Ask
  /** Days for which a file is kept to which nothing refers. */
  readonly graceDays: number
}

/**
 * Gives up files to which nothing has referred for long. Channels is asked first: a file that somebody names in a draft,
 * in something that waits to be sent, or in a message that is not known here, stays.
 *
 * @returns how many were looked at.
 */
export const collectFiles = ({ database, ask, graceDays }: Parts): Promise<number> =>
  inTransaction(database, async (tx) => {
    const { sql } = tx
    const held = await sql<FileRow[]>`
      SELECT ${fileColumns(sql)} FROM attachments
      WHERE unclaimed_since < now() - make_interval(days => ${graceDays})
      ORDER BY unclaimed_since LIMIT ${portion} FOR UPDATE SKIP LOCKED`
    for (const [realm, files] of Map.groupBy(held, (file) => file.realm_id)) {
      const asked = files.map((file) => filePrefix(file.path_id))
      const inUse = new Set((await ask(filesInUse, { realm_id: realm, files: asked })).files)
      for (const file of files) {
        if (inUse.has(filePrefix(file.path_id))) {
          await sql`UPDATE attachments SET unclaimed_since = now() WHERE id = ${file.id}`
          continue
        }
        await dropThumbnails(sql, [file.id])
        await sql`DELETE FROM attachments WHERE id = ${file.id}`
        await dropObjects(sql, [objectKey(file.path_id)])
        const upload_space_used = await addSpaceUsed(sql, realm, -file.size)
        const audience = { realm, users: [file.owner_id] }
        tx.emit(attachmentRemove, audience, { attachment: { id: file.id }, upload_space_used })
      }
    }
    return held.length
  })

export const collectingFiles = (parts: Parts & { log: Log }): Running =>
  repeating({ pause, log: parts.log, round: async () => (await collectFiles(parts)) === portion })
