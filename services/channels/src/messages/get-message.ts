import { getMessage as contract } from '@parley/contracts/channels/messages'
import { endpoint } from '../room.ts'
import { presentMessages } from './message-presentation.ts'
import { readableMessages } from './message-store.ts'

export const getMessage = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database } = deps
  const messages = await database.guard(
    readableMessages(database.sql, caller.realm.id, caller.user, [params.message_id]),
  )
  const [stored] = messages
  if (stored === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  const [message] = await presentMessages(deps, caller.realm, caller.user.id, messages, {
    apply_markdown: params.apply_markdown,
    client_gravatar: false,
    empty_topic_name: params.allow_empty_topic_name,
  })
  return { raw_content: stored.content, message: message! }
})
