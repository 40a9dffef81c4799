import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { type MessageFact, messagesTopic } from '@parley/contracts/channels/topics'
import type { attachmentUpdate } from '@parley/contracts/uploads/events'
import type { Database } from '@parley/db'
import { type Ask, announcing, type Running, type Tx } from '@parley/kit'
import { announceClaims } from './announce-claims.ts'
import { filesNamedIn } from './claim-rules.ts'
import { claim, holdFiles } from './claim-store.ts'
import { mayHaveFile } from './may-have-file.ts'

/** The files that a message refers to are its readers' too, as far as its sender may have them. */
export const takeInMessage = async (
  ask: Ask,
  tx: Tx<typeof attachmentUpdate>,
  { realm_id, message }: MessageFact,
): Promise<void> => {
  const named = filesNamedIn(message.rendered_content, realm_id)
  if (named.length === 0) return
  for (const file of await holdFiles(tx.sql, realm_id, named)) {
    // Whoever saw only the address of a file must not get at it by writing it to somebody.
    if (!(await mayHaveFile({ sql: tx.sql, ask }, message.sender_id, file))) continue
    if (await claim(tx.sql, file.id, message.id)) await announceClaims(tx, file)
  }
}

/** Follows the messages of all organizations. */
export const onMessageSent = (deps: { bus: Bus; database: Database; ask: Ask }): Promise<Running> =>
  consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'uploads.messages',
    topic: messagesTopic,
    concerns: ({ realm_id, message }) => filesNamedIn(message.rendered_content, realm_id).length > 0,
    handle: async (tx, { value }) => {
      if (value !== null) await takeInMessage(deps.ask, announcing(tx), value)
    },
  })
