import { readableMessages } from '@parley/contracts/channels/internals'
import type { Ask } from '@parley/kit'
import type { FileRow } from '../files/file-store.ts'
import type { Queries } from '../room.ts'
import { claimsOf } from './claim-store.ts'

/** Messages that channels is asked about at once. */
const perQuestion = 500

type Asked = Pick<FileRow, 'id' | 'owner_id' | 'realm_id'>

/**
 * Which of some files of one organization an active account may have: its own, and those that a message refers to which
 * the account may read now. Null: whoever looks on without an account, where the organization lets them.
 * This is the only place that says so. All files are asked about together.
 *
 * @returns their IDs.
 */
export const filesOneMayHave = async (
  { sql, ask }: { sql: Queries; ask: Ask },
  userId: number | null,
  files: readonly Asked[],
): Promise<Set<number>> => {
  const may = new Set(files.filter(({ owner_id }) => owner_id === userId).map(({ id }) => id))
  const others = files.filter(({ id }) => !may.has(id))
  if (others.length === 0) return may
  const { realm_id } = others[0]!
  // The latest first: older ones are more often out of reach.
  let claims = await claimsOf(
    sql,
    others.map(({ id }) => id),
  )
  while (claims.length > 0) {
    const asked = claims.slice(0, perQuestion)
    const message_ids = [...new Set(asked.map(({ message_id }) => message_id))]
    const answer = await ask(readableMessages, { realm_id, user_id: userId, message_ids })
    const readable = new Set(answer.message_ids)
    for (const { attachment_id, message_id } of asked) if (readable.has(message_id)) may.add(attachment_id)
    claims = claims.slice(perQuestion).filter(({ attachment_id }) => !may.has(attachment_id))
  }
  return may
}

export const mayHaveFile = async (
  parts: { sql: Queries; ask: Ask },
  userId: number | null,
  file: Asked,
): Promise<boolean> => (await filesOneMayHave(parts, userId, [file])).has(file.id)
