import { archivedMessages } from '@parley/contracts/channels/archive-questions'
import type { ArchiveScope } from '@parley/contracts/realm-data'
import type { Row } from '@parley/kit/holdings'
import type { Deps } from '../room.ts'

/** Messages that channels is asked about at once. */
const perQuestion = 5000

const whichAreArchived = async (
  { ask }: Pick<Deps, 'ask'>,
  realm_id: number,
  scope: ArchiveScope,
  messageIds: readonly number[],
): Promise<Set<number>> => {
  const found = new Set<number>()
  for (let from = 0; from < messageIds.length; from += perQuestion) {
    const message_ids = messageIds.slice(from, from + perQuestion)
    const answer = await ask(archivedMessages, { realm_id, ...scope, message_ids })
    for (const id of answer.message_ids) found.add(id)
  }
  return found
}

/** Links between files and messages of which the archive has the message. */
export const onlyOfArchivedMessages = async (
  rows: Row[],
  realmId: number,
  scope: ArchiveScope,
  deps: Deps,
): Promise<Row[]> => {
  if (scope.export_type === 'full_without_consent') return rows
  const ids = rows.map(({ message_id }) => message_id as number)
  const archived = await whichAreArchived(deps, realmId, scope, ids)
  return rows.filter(({ message_id }) => archived.has(message_id as number))
}

/**
 * Files that a message of the archive refers to, and those of owners who agreed. What nobody refers to is its owner's
 * alone.
 */
export const onlyWithArchivedMessages = async (
  rows: Row[],
  realmId: number,
  scope: ArchiveScope,
  deps: Deps,
): Promise<Row[]> => {
  if (scope.export_type === 'full_without_consent') return rows
  const ids = rows.map(({ id }) => id as number)
  const links = await deps.database.sql<{ attachment_id: number; message_id: number }[]>`
    SELECT attachment_id, message_id FROM attachment_messages WHERE attachment_id = ANY (${ids}::bigint[])`
  const archived = await whichAreArchived(
    deps,
    realmId,
    scope,
    links.map(({ message_id }) => message_id),
  )
  const named = new Set(
    links.filter(({ message_id }) => archived.has(message_id)).map((link) => link.attachment_id),
  )
  const agreed = new Set(scope.export_type === 'full_with_consent' ? scope.consenting : [])
  return rows.filter(({ id, owner_id }) => named.has(id as number) || agreed.has(owner_id as number))
}
