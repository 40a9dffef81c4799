import { getThumbnailStatus as contract } from '@parley/contracts/uploads/thumbnails'
import { endpoint } from '../room.ts'
import { fileFor } from '../serving/file-for.ts'

/** Whoever asks for a small form waits until it is drawn: all that can be drawn is there. */
export const getThumbnailStatus = endpoint(contract, async ({ caller, params, deps }) => {
  const file = await fileFor(deps, caller, params.realm_id, params.path)
  return { has_thumbnail: file.frames !== null }
})
