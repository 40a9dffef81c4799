import { mayReadMessage as contract } from '@parley/contracts/channels/internals'
import { findActor } from '../permissions/find-actor.ts'
import { internal } from '../room.ts'
import { readableMessages } from './message-store.ts'

export const mayReadMessage = internal(contract, async ({ input, deps }) => {
  const { realm_id, user_id, message_id } = input
  const reader = (await deps.users.byIds(realm_id, [user_id])).get(user_id)
  if (reader?.is_active !== true) return { may_read: false }
  const realm = await deps.realms.get(realm_id)
  if (!realm.is_active) return { may_read: false }
  const { database } = deps
  const actor = await findActor(deps, reader, realm)
  const messages = await database.guard(readableMessages(database.sql, realm_id, actor, [message_id]))
  return { may_read: messages.length > 0 }
})
