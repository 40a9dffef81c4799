import { fileTooLarge, refuse } from '@parley/contracts'
import { uploadFile as contract } from '@parley/contracts/uploads/files'
import type { RequestFacts, SentFile } from '@parley/kit'
import { discardObject, keepObject } from '../objects/keep-object.ts'
import { type Deps, endpoint } from '../room.ts'
import { measurePicture } from '../thumbnails/measure-picture.ts'
import { addFile } from './add-file.ts'
import { newPathId, objectKey, storedName } from './name-rules.ts'
import { demandUnpromisedSpace } from './space-left.ts'
import { contentType } from './type-rules.ts'

const mib = 1024 * 1024
/** Bytes of a form around its file: boundaries, headers, small fields. */
const formOverhead = mib

interface Kept {
  readonly path_id: string
  readonly name: string
  readonly content_type: string
  readonly size: number
}

const keep = async (deps: Deps, realmId: number, { name = '', type, content }: SentFile): Promise<Kept> => {
  const stored = storedName(name)
  const path_id = newPathId(realmId, stored)
  const content_type = contentType(type, stored)
  const size = await keepObject(deps, objectKey(path_id), {
    content,
    type: content_type,
    limit: deps.sizes.file,
  })
  return { path_id, name: stored, content_type, size }
}

/** Stores the one file of a form. A file without a name is a field that was left empty. */
const keepOnly = async (deps: Deps, realmId: number, request: RequestFacts): Promise<Kept> => {
  let kept: Kept | undefined
  try {
    for await (const sent of request.files()) {
      if (sent.name === undefined) continue
      if (kept !== undefined) throw refuse('BAD_REQUEST', 'You may only upload one file at a time')
      kept = await keep(deps, realmId, sent)
    }
  } catch (error) {
    if (kept !== undefined) await discardObject(deps, objectKey(kept.path_id))
    throw error
  }
  if (kept === undefined) throw refuse('BAD_REQUEST', 'You must specify a file to upload')
  return kept
}

export const uploadFile = endpoint(contract, async ({ caller, deps, request, transaction }) => {
  const realm_id = caller.realm.id
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > deps.sizes.file * mib + formOverhead) throw fileTooLarge(deps.sizes.file)
  const quota = await demandUnpromisedSpace(deps, realm_id, Math.max(0, announced - formOverhead))
  const kept = await keepOnly(deps, realm_id, request)
  try {
    const seen = await measurePicture(deps, objectKey(kept.path_id), kept)
    const file = { ...kept, ...seen, realm_id, owner_id: caller.user.id }
    await transaction((tx) => addFile(tx, file, quota))
  } catch (error) {
    await discardObject(deps, objectKey(kept.path_id))
    throw error
  }
  const url = `/user_uploads/${kept.path_id}`
  return { url, uri: url, filename: kept.name }
})
