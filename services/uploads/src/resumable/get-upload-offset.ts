import { getUploadOffset as contract } from '@parley/contracts/uploads/tus'
import type { StreamedReply } from '@parley/kit'
import { endpoint } from '../room.ts'
import { finishUpload } from './finish-upload.ts'
import { holding } from './hold-upload.ts'
import { expiry, filePlace, inProtocol, type TusScene, tusReply } from './tus-exchange.ts'

/**
 * How far an upload came. Whoever asks has given up the request before: that one is ended first, so that the answer stays
 * true. An upload whose last bytes came, and whose process was killed then, becomes a file here.
 */
export const offset = async ({ deps, caller }: TusScene, id: string): Promise<StreamedReply> => {
  const upload = await holding(deps, caller.user.id, id, async (held) => {
    const { upload } = held
    const isLeft = !upload.is_finished && upload.bytes === upload.length
    return isLeft ? finishUpload(deps, held, upload, upload.bytes) : upload
  })
  const { bytes, length, metadata, concat } = upload
  return tusReply(200, {
    'upload-offset': String(bytes),
    ...(length === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }),
    ...(metadata === null ? {} : { 'upload-metadata': metadata }),
    ...(concat === null ? {} : { 'upload-concat': concat }),
    ...expiry(upload),
    ...filePlace(upload),
  })
}

export const getUploadOffset = endpoint(contract, (scene) =>
  inProtocol(scene.request, () => offset(scene, scene.params.upload_id)),
)
