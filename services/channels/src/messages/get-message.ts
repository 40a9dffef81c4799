import { getMessage as contract } from '@parley/contracts/channels/messages'
import { PreparedReply } from '@parley/kit'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { messageTexts } from './message-presentation.ts'
import { shownMessages } from './message-store.ts'

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
      const texts = { raw: true, rendered: wants.apply_markdown }
      const messages = await shownMessages(sql, realm.id, person, [params.message_id], texts)
      const [stored] = messages
      if (stored === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
      const [message] = await messageTexts(deps, sql, realm, person.id, messages, wants)
      const raw_content = JSON.stringify(stored.content)
      return new PreparedReply(
        `{"result":"success","msg":"","raw_content":${raw_content},"message":${message}}`,
      )
    })(),
  )
})
