import { matchesNarrow as contract } from '@parley/contracts/channels/messages'
import { foundIn } from '../messages/message-presentation.ts'
import { shownMessages } from '../messages/message-store.ts'
import { endpoint } from '../room.ts'
import { matchesOf } from './matches.ts'
import { planNarrow } from './narrow-plan.ts'
import { readerOf } from './reader.ts'

export const matchesNarrow = endpoint(contract, async ({ params, caller, deps }) => {
  const { database } = deps
  const { sql } = database
  return database.guard(
    (async () => {
      const reader = await readerOf(deps, caller)
      const plan = await planNarrow(deps, sql, reader, params.narrow)
      const ids = await matchesOf(sql, plan, params.msg_ids)
      const { realm, person } = reader
      const stored = await shownMessages(sql, realm.id, person, ids, { raw: false, rendered: true })
      const found = await foundIn(sql, plan.searches, stored, { empty_topic_name: true })
      const messages = Object.fromEntries(stored.map(({ id }, n) => [id, found[n]!]))
      return { messages }
    })(),
  )
})
