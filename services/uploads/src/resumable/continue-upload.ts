import { continueUpload as contract } from '@parley/contracts/uploads/tus'
import type { StreamedReply } from '@parley/kit'
import { demandUnpromisedSpace, promisingSpace } from '../files/space-left.ts'
import { endpoint } from '../room.ts'
import { demandSize } from './create-upload.ts'
import { finishUpload } from './finish-upload.ts'
import { type Held, holding, uploadNotFound } from './hold-upload.ts'
import { checksumIn, concatIn, pieceType, sentLength, sentOffset, TusRefusal } from './protocol-rules.ts'
import { receiveBytes } from './receive-bytes.ts'
import { inProtocol, progressReply, type TusScene } from './tus-exchange.ts'
import { storeProgress, type UploadRow, uploadOf } from './upload-store.ts'

const mib = 1024 * 1024

/** The upload's length, which may be said late, but once: "the length MUST NOT be changed once it is set". */
const withLength = async ({ deps, request }: TusScene, held: Held): Promise<Held> => {
  const length = sentLength(request.headers)
  const { upload, holder } = held
  if (length == null || length === upload.length) return held
  if (upload.length !== null || length < upload.bytes) {
    throw new TusRefusal(400, 'Invalid upload-length header')
  }
  demandSize(deps, length)
  // What is here of it is counted already.
  const stored = await promisingSpace(deps, upload.realm_id, length - upload.bytes, (sql) =>
    storeProgress(sql, upload.id, holder, { length }),
  )
  if (stored === undefined) throw uploadNotFound()
  return { ...held, upload: stored }
}

const more = async (scene: TusScene, begun: Held): Promise<UploadRow> => {
  const { deps, request } = scene
  const checksum = checksumIn(request.headers['upload-checksum'])
  // "If the offsets do not match, the Server MUST respond with 409 Conflict without modifying the upload resource."
  if (sentOffset(request.headers) !== begun.upload.bytes) {
    throw new TusRefusal(409, 'The upload is not there.', { 'upload-offset': String(begun.upload.bytes) })
  }
  if (begun.upload.is_finished) return begun.upload
  const held = await withLength(scene, begun)
  if (held.upload.length === null) {
    // Nothing is promised to an upload of unknown length: each piece has to find its place.
    await demandUnpromisedSpace(deps, begun.upload.realm_id, Number(request.headers['content-length'] ?? 0))
  }
  const { upload, isWhole } = await receiveBytes(deps, held, request.body, {
    checksum,
    most: deps.sizes.file * mib,
  })
  return isWhole ? finishUpload(deps, held, upload, upload.length!) : upload
}

export const proceed = async (scene: TusScene, id: string): Promise<StreamedReply> => {
  const { deps, caller, request } = scene
  // "All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise 415."
  if (request.headers['content-type'] !== pieceType) {
    throw new TusRefusal(415, `What is sent to an upload is ${pieceType}.`)
  }
  const found = await uploadOf(deps.database.sql, caller.user.id, id)
  if (found === undefined) throw uploadNotFound()
  // "The Server MUST respond with 403 Forbidden to PATCH requests against a final upload URL".
  if (concatIn(found.concat ?? undefined)?.kind === 'final') {
    throw new TusRefusal(403, 'What was put together is not added to.')
  }
  const upload = await holding(deps, caller.user.id, id, (held) => more(scene, held))
  return progressReply({ whileUnfinished: 204, whenFinished: 200 }, upload)
}

export const continueUpload = endpoint(contract, (scene) =>
  inProtocol(scene.request, () => proceed(scene, scene.params.upload_id)),
)
