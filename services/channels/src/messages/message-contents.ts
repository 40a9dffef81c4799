import { messageContents as contract } from '@parley/contracts/channels/internals'
import { internal } from '../room.ts'

export const messageContents = internal(contract, async ({ input, deps }) => ({
  messages: await deps.database.sql<{ id: number; sender_id: number; rendered_content: string }[]>`
    SELECT id, sender_id, rendered_content FROM messages
    WHERE realm_id = ${input.realm_id} AND id = ANY (${input.message_ids}::bigint[]) ORDER BY id`,
}))
