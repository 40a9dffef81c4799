import { terminateUpload as contract } from '@parley/contracts/uploads/tus'
import type { StreamedReply } from '@parley/kit'
import { endpoint } from '../room.ts'
import { giveUp } from './finish-upload.ts'
import { holding } from './hold-upload.ts'
import { inProtocol, type TusScene, tusReply } from './tus-exchange.ts'
import { removeUpload } from './upload-store.ts'

/** Gives up an upload, and what came of it. What became a file is one, and is deleted as files are. */
export const terminate = async ({ deps, caller }: TusScene, id: string): Promise<StreamedReply> => {
  await holding(deps, caller.user.id, id, async ({ upload }) => {
    if (upload.is_finished && upload.path_id !== null) await removeUpload(deps.database.sql, id)
    else await giveUp(deps, id, upload.object_key)
  })
  return tusReply(204, {})
}

export const terminateUpload = endpoint(contract, (scene) =>
  inProtocol(scene.request, () => terminate(scene, scene.params.upload_id)),
)
