import { EngineUnavailableError } from '@parley/contracts'
import { fileInfos } from '@parley/contracts/uploads/internals'
import type { Ask } from '@parley/kit'
import type { RenderContext } from '@parley/markdown'

/** Files that one text may show. */
const mostShown = 50

/** What is known of the files that a text refers to, as far as its author may have them; nothing while uploads is away. */
export const shownUploads = async (
  ask: Ask,
  realm_id: number,
  user_id: number,
  path_ids: readonly string[],
): Promise<NonNullable<RenderContext['uploads']>> => {
  try {
    const asked = { realm_id, user_id, path_ids: path_ids.slice(0, mostShown) }
    const { files } = await ask(fileInfos, asked)
    const found = new Map(files.map(({ path_id, ...info }) => [path_id, info]))
    return { info: (path) => found.get(path) }
  } catch (error) {
    // A message without pictures is better than none.
    if (error instanceof EngineUnavailableError) return { info: () => undefined }
    throw error
  }
}
