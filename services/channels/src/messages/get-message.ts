import { getMessage as contract } from '@parley/contracts/channels/messages'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { presentMessages } from './message-presentation.ts'
import { readableMessages } from './message-store.ts'

export const getMessage = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database } = deps
  const { sql } = database
  const wants = {
    apply_markdown: params.apply_markdown,
    client_gravatar: false,
    empty_topic_name: params.allow_empty_topic_name,
  }
  return database.guard(
    (async () => {
      const { realm, person } = await readerOf(deps, caller)
      const messages = await readableMessages(sql, realm.id, person, [params.message_id])
      const [stored] = messages
      if (stored === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
      const [message] = await presentMessages(deps, sql, realm, person.id, messages, wants)
      return { raw_content: stored.content, message: message! }
    })(),
  )
})
