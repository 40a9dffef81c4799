import {
  readableMessages as bulkContract,
  mayReadMessage as contract,
} from '@parley/contracts/channels/internals'
import type { Realm } from '../directory/realm-store.ts'
import { anybody, showsToAnybody } from '../narrows/anonymous.ts'
import type { Actor } from '../permissions/actor.ts'
import { findActor } from '../permissions/find-actor.ts'
import { type Deps, internal } from '../room.ts'
import { readableMessages } from './message-store.ts'

/**
 * Those of some messages that an account may read, or (null) whoever looks on without one; none when account or
 * organization are not active (any more).
 */
const readableOnes = async (
  deps: Pick<Deps, 'database' | 'users' | 'realms'>,
  {
    realm_id,
    user_id,
    message_ids,
  }: { realm_id: number; user_id: number | null; message_ids: readonly number[] },
): Promise<number[]> => {
  const realm = await deps.realms.get(realm_id)
  if (!realm.is_active) return []
  const { database } = deps
  const actor = await readerOf(deps, realm, user_id)
  if (actor === undefined) return []
  const messages = await database.guard(readableMessages(database.sql, realm_id, actor, message_ids))
  return messages.map(({ id }) => id)
}

const readerOf = async (
  deps: Pick<Deps, 'database' | 'users' | 'realms'>,
  realm: Realm,
  userId: number | null,
): Promise<Actor | undefined> => {
  if (userId === null) return showsToAnybody(realm) ? anybody : undefined
  const reader = (await deps.users.byIds(realm.id, [userId])).get(userId)
  return reader?.is_active === true ? findActor(deps, reader, realm) : undefined
}

export const mayReadMessage = internal(contract, async ({ input, deps }) => {
  const { realm_id, user_id, message_id } = input
  const found = await readableOnes(deps, { realm_id, user_id, message_ids: [message_id] })
  return { may_read: found.length > 0 }
})

export const whichMayRead = internal(bulkContract, async ({ input, deps }) => ({
  message_ids: await readableOnes(deps, input),
}))
