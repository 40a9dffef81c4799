import { Readable } from 'node:stream'
import type { BlobStore } from '@parley/blob'
import { demandSpace } from '../files/space-left.ts'
import type { Deps } from '../room.ts'
import { demandSize } from './create-upload.ts'
import { finishUpload, giveUp } from './finish-upload.ts'
import { holding } from './hold-upload.ts'
import { TusRefusal } from './protocol-rules.ts'
import type { TusScene } from './tus-exchange.ts'
import { insertUpload, type NewUpload, type UploadRow, uploadOf } from './upload-store.ts'

/** The finished parts of a file, in their order. */
const finishedParts = async (deps: Deps, ownerId: number, ids: readonly string[]): Promise<UploadRow[]> => {
  const parts: UploadRow[] = []
  for (const id of ids) {
    const part = await uploadOf(deps.database.sql, ownerId, id)
    if (part?.concat !== 'partial')
      throw new TusRefusal(400, 'Only parts of the same account can be put together.')
    if (!part.is_finished) throw new TusRefusal(409, 'A part is not finished.')
    parts.push(part)
  }
  return parts
}

async function* bytesOf(store: BlobStore, parts: readonly UploadRow[]): AsyncGenerator<Buffer> {
  for (const { object_key, bytes } of parts) {
    if (bytes === 0) continue
    const stream = await store.get(object_key)
    if (stream === undefined) throw new Error(`the part ${object_key} is gone`)
    yield* stream as AsyncIterable<Buffer>
  }
}

/**
 * Puts finished parts together to a file. They are read and written anew: parts of the store have a least size, those of
 * a client have none.
 *
 * @throws TusRefusal; ApiError PAYLOAD_TOO_LARGE, REALM_UPLOAD_QUOTA; EngineUnavailableError.
 */
export const concatenate = async (
  { deps, caller }: TusScene,
  planned: NewUpload,
  ids: readonly string[],
): Promise<UploadRow> => {
  const parts = await finishedParts(deps, caller.user.id, ids)
  const length = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  demandSize(deps, length)
  await demandSpace(deps, caller.realm.id, length)
  const made = await insertUpload(deps.database.sql, { ...planned, length })
  return holding(deps, caller.user.id, made.id, async (held) => {
    try {
      const content = Readable.from(bytesOf(deps.store, parts))
      await deps.store.put(made.object_key, content, { contentType: made.content_type })
    } catch (error) {
      await giveUp(deps, made.id, made.object_key)
      throw error
    }
    return finishUpload(deps, held, made, length)
  })
}
