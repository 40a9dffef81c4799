import { randomBytes } from 'node:crypto'
import { fileTooLarge, refuse } from '@parley/contracts'
import { createUpload as contract } from '@parley/contracts/uploads/tus'
import type { StreamedReply } from '@parley/kit'
import { newPathId, objectKey, storedName } from '../files/name-rules.ts'
import { promisingSpace } from '../files/space-left.ts'
import { contentType } from '../files/type-rules.ts'
import { endpoint } from '../room.ts'
import { concatenate } from './concatenate.ts'
import { describeOffer } from './describe-uploads.ts'
import { finishUpload } from './finish-upload.ts'
import { holding } from './hold-upload.ts'
import {
  checksumIn,
  concatIn,
  metadataIn,
  methodOf,
  pieceType,
  sentLength,
  TusRefusal,
} from './protocol-rules.ts'
import { receiveBytes } from './receive-bytes.ts'
import { inProtocol, progressReply, type TusScene, uploadAddress } from './tus-exchange.ts'
import { insertUpload, type NewUpload, type UploadRow, unfinishedUploads } from './upload-store.ts'

const mib = 1024 * 1024
/** Of one account. */
const maxUnfinished = 200

/** @throws ApiError PAYLOAD_TOO_LARGE */
export const demandSize = (deps: { sizes: { file: number } }, bytes: number): void => {
  if (bytes > deps.sizes.file * mib) throw refuse('PAYLOAD_TOO_LARGE', fileTooLarge(deps.sizes.file).message)
}

/** What the request says of the file that is to come. */
const plannedUpload = ({ caller, request }: TusScene, isPartial: boolean): NewUpload => {
  const metadata = request.headers['upload-metadata'] as string | undefined
  const said = metadataIn(metadata)
  const name = storedName(said.get('filename') ?? said.get('name') ?? '')
  const id = randomBytes(24).toString('base64url')
  const path_id = isPartial ? null : newPathId(caller.realm.id, name)
  return {
    id,
    realm_id: caller.realm.id,
    owner_id: caller.user.id,
    metadata: metadata ?? null,
    concat: (request.headers['upload-concat'] as string | undefined) ?? null,
    name,
    content_type: contentType(said.get('filetype') ?? said.get('type'), name),
    path_id,
    object_key: path_id === null ? `partials/${id}` : objectKey(path_id),
    length: null,
  }
}

/** Whether the request also brings the first piece. */
const bringsPiece = ({ request: { headers } }: TusScene): boolean => {
  const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
  if (headers['content-type'] === pieceType) return !isEmpty
  // "The Client MUST include the header Content-Type: application/offset+octet-stream."
  if (!isEmpty) throw new TusRefusal(415, `What is sent with an upload's creation is ${pieceType}.`)
  return false
}

/** With the creation's bytes, when it brings some; finished when that is all. */
const begin = (scene: TusScene, made: UploadRow, hasPiece: boolean): Promise<UploadRow> => {
  const { deps, caller, request } = scene
  if (!hasPiece && made.length !== 0) return Promise.resolve(made)
  return holding(deps, caller.user.id, made.id, async (held) => {
    const body = { checksum: checksumIn(request.headers['upload-checksum']), most: deps.sizes.file * mib }
    const { upload, isWhole } = await receiveBytes(deps, held, request.body, body)
    return isWhole ? finishUpload(deps, held, upload, made.length!) : upload
  })
}

const create = async (scene: TusScene): Promise<StreamedReply> => {
  const { deps, caller, request } = scene
  const { sql } = deps.database
  const concat = concatIn(request.headers['upload-concat'])
  const length = sentLength(request.headers)
  if ((await unfinishedUploads(sql, caller.user.id)) >= maxUnfinished) {
    throw refuse('BAD_REQUEST', 'Too many uploads are under way.')
  }
  const planned = plannedUpload(scene, concat?.kind === 'partial')
  if (concat?.kind === 'final') {
    // "The Client MUST NOT include the Upload-Length header in the final upload creation."
    if (length !== undefined) throw new TusRefusal(400, 'Invalid upload-length header')
    const upload = await concatenate(scene, planned, concat.ids)
    const headers = { location: uploadAddress(upload.id) }
    return progressReply({ whileUnfinished: 201, whenFinished: 201 }, upload, headers)
  }
  if (length === undefined) throw new TusRefusal(400, 'Invalid upload-length header')
  const hasPiece = bringsPiece(scene)
  // "If the length of the upload exceeds the maximum, 413 Request Entity Too Large."
  if (length !== null) demandSize(deps, length)
  const made = await promisingSpace(deps, caller.realm.id, length ?? 0, (promising) =>
    insertUpload(promising, { ...planned, length }),
  )
  const upload = await begin(scene, made, hasPiece)
  const headers = { location: uploadAddress(upload.id) }
  return progressReply({ whileUnfinished: 201, whenFinished: 201 }, upload, headers)
}

export const createUpload = endpoint(contract, (scene) => {
  if (methodOf('POST', scene.request.headers) === 'OPTIONS') return describeOffer(scene)
  return inProtocol(scene.request, () => create(scene))
})
