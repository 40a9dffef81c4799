import { refuse } from '@parley/contracts'
import type { attachmentAdd } from '@parley/contracts/uploads/events'
import { inTransaction } from '@parley/kit'
import { addFile } from '../files/add-file.ts'
import { demandSpace } from '../files/space-left.ts'
import { dropObjects } from '../objects/loose-store.ts'
import type { Deps } from '../room.ts'
import { measurePicture, noPicture } from '../thumbnails/measure-picture.ts'
import type { Held } from './hold-upload.ts'
import { TusRefusal } from './protocol-rules.ts'
import { partsOf, removeUpload, storeFinish, type UploadRow } from './upload-store.ts'

/** Completes the object in the store, unless a process that was killed had done so. */
const completeObject = async ({ database, store }: Deps, upload: UploadRow): Promise<void> => {
  const { id, object_key, store_upload } = upload
  if (store_upload === null) return
  const parts = await partsOf(database.sql, id)
  if (await store.parts.complete(object_key, store_upload, parts)) return
  if ((await store.facts(object_key))?.size !== upload.bytes) {
    throw new TusRefusal(410, 'This upload was given up.')
  }
}

/**
 * Makes a file of an upload that is complete; once, whoever asks. A part of a file is only marked as finished.
 *
 * @throws ApiError REALM_UPLOAD_QUOTA: the upload is given up then. TusRefusal 423 when somebody else holds it by now.
 */
export const finishUpload = async (
  deps: Deps,
  { holder }: Held,
  upload: UploadRow,
  bytes: number,
): Promise<UploadRow> => {
  const { id, realm_id, owner_id, path_id, name, content_type, object_key, tail_key } = upload
  await completeObject(deps, upload)
  try {
    const quota = path_id === null ? null : await demandSpace(deps, realm_id, bytes)
    const seen =
      path_id === null ? noPicture : await measurePicture(deps, object_key, { content_type, size: bytes })
    await inTransaction<typeof attachmentAdd, void>(deps.database, async (tx) => {
      if (!(await storeFinish(tx.sql, id, holder, bytes)))
        throw new TusRefusal(423, 'Another request writes to this upload.')
      if (tail_key !== null) await dropObjects(tx.sql, [tail_key])
      if (path_id === null) return
      await addFile(tx, { realm_id, owner_id, path_id, name, content_type, size: bytes, ...seen }, quota)
    })
  } catch (error) {
    if ((error as { error?: string }).error === 'REALM_UPLOAD_QUOTA') {
      await giveUp(deps, id, object_key)
      throw refuse('REALM_UPLOAD_QUOTA', (error as Error).message)
    }
    throw error
  }
  await clearParts(deps, upload)
  return { ...upload, bytes, length: bytes, is_finished: true }
}

/** The object is whole: what processes that were killed had begun of it is of no use any more. */
const clearParts = async ({ store, log }: Deps, { object_key, store_upload }: UploadRow): Promise<void> => {
  if (store_upload === null) return
  await store.parts.abandon(object_key).catch((error) => {
    log.warn({ err: error, key: object_key }, 'parts stay in the store')
  })
}

/** Forgets an upload, and what the store has of it. */
export const giveUp = async (
  { database }: Pick<Deps, 'database'>,
  id: string,
  key: string,
): Promise<void> => {
  await database.transaction(async ({ sql }) => {
    const gone = await removeUpload(sql, id)
    await dropObjects(sql, [key, ...(gone?.tail_key == null ? [] : [gone.tail_key])])
  })
}
