import { filesInUse as contract } from '@parley/contracts/channels/internals'
import { internal } from '../room.ts'

/** Everything that people write is searched for the text as such: whether it would become a link does not matter here. */
export const filesInUse = internal(contract, async ({ input, deps }) => {
  const found = await deps.database.sql<{ file: string }[]>`
    SELECT file FROM unnest(${input.files}::text[]) AS file
    WHERE EXISTS (
        SELECT FROM messages WHERE realm_id = ${input.realm_id} AND has_attachment AND strpos(content, file) > 0)
      OR EXISTS (SELECT FROM drafts WHERE strpos(content, file) > 0)
      OR EXISTS (SELECT FROM scheduled_messages WHERE strpos(content, file) > 0)
      OR EXISTS (SELECT FROM saved_snippets WHERE strpos(content, file) > 0)`
  return { files: found.map(({ file }) => file) }
})
