import { matchesNarrow as contract } from '@parley/contracts/channels/messages'
import { presentMessages } from '../messages/message-presentation.ts'
import { readableMessages } from '../messages/message-store.ts'
import { endpoint } from '../room.ts'
import { matchesOf } from './matches.ts'
import { planNarrow } from './narrow-plan.ts'
import { readerOf } from './reader.ts'
import { escapedText } from './search.ts'

const wants = { apply_markdown: true, client_gravatar: true, empty_topic_name: true }

export const matchesNarrow = endpoint(contract, async ({ params, caller, deps }) => {
  const { database } = deps
  const { sql } = database
  return database.guard(
    (async () => {
      const reader = await readerOf(deps, caller)
      const plan = await planNarrow(deps, sql, reader, params.narrow)
      const ids = await matchesOf(sql, plan, params.msg_ids)
      const stored = await readableMessages(sql, reader.realm.id, reader.person, ids)
      const listed = await presentMessages(
        ...([deps, sql, reader.realm, reader.person.id, stored, wants, plan.searches] as const),
      )
      const messages = Object.fromEntries(
        listed.map(({ id, content, subject, match_content, match_subject }) => [
          id,
          {
            match_content: match_content ?? content,
            match_subject: match_subject ?? escapedText(subject),
          },
        ]),
      )
      return { messages }
    })(),
  )
})
