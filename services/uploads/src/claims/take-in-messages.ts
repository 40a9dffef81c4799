import { messageContents } from '@parley/contracts/channels/internals'
import type { attachmentUpdate } from '@parley/contracts/uploads/events'
import type { Ask, Tx } from '@parley/kit'
import type { FileRow } from '../files/file-store.ts'
import { announceClaims } from './announce-claims.ts'
import { filesNamedIn } from './claim-rules.ts'
import { claim, filesClaimedBy, holdFiles, holdMessages, unclaim, unclaimAll } from './claim-store.ts'
import { mayHaveFile } from './may-have-file.ts'

type Announcing = Tx<typeof attachmentUpdate>

/**
 * Makes the claims of a message those of what it says now: its readers may have the files that it refers to, as far as
 * its sender may. Facts only say when to look, and in which order they come does not matter: that a message was sent may
 * be heard after it was edited, moved or deleted. `html`: what it said when the fact came into being.
 */
export const takeInMessage = async (
  ask: Ask,
  tx: Announcing,
  realmId: number,
  messageId: number,
  html: string,
): Promise<void> => {
  const isOfInterest =
    filesNamedIn(html, realmId).length > 0 || (await filesClaimedBy(tx.sql, [messageId])).length > 0
  if (isOfInterest) await settleClaims(ask, tx, realmId, messageId)
}

/** The same for a message of which it is known that it refers, or did, to files. */
export const settleClaims = async (
  ask: Ask,
  tx: Announcing,
  realmId: number,
  messageId: number,
): Promise<void> => {
  const { sql } = tx
  // Whoever looks later sees no older state, and writes after us.
  await holdMessages(sql, [messageId])
  const { messages } = await ask(messageContents, { realm_id: realmId, message_ids: [messageId] })
  const message = messages[0]
  const named = message === undefined ? [] : filesNamedIn(message.rendered_content, realmId)
  const claimed = await filesClaimedBy(sql, [messageId])
  for (const file of await holdFiles(sql, realmId, named, claimed)) {
    if (!named.includes(file.path_id)) {
      await unclaim(sql, file.id, [messageId])
      await announceClaims(tx, file)
    } else if (!claimed.includes(file.id) && (await mayPassOn(ask, tx, message!.sender_id, file))) {
      await claim(sql, file.id, messageId)
      await announceClaims(tx, file)
    }
  }
}

/** Whoever saw only the address of a file must not get at it by writing it to somebody. */
const mayPassOn = (ask: Ask, { sql }: Announcing, senderId: number, file: FileRow): Promise<boolean> =>
  mayHaveFile({ sql, ask }, senderId, file)

/** Messages are gone, and never come back. */
export const dropMessages = async (tx: Announcing, messageIds: readonly number[]): Promise<void> => {
  const { sql } = tx
  await holdMessages(sql, messageIds)
  const held = await holdFiles(sql, null, [], await filesClaimedBy(sql, messageIds))
  await unclaimAll(
    sql,
    held.map(({ id }) => id),
    messageIds,
  )
  for (const file of held) await announceClaims(tx, file)
}
