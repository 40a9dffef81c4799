/** What muting somebody does to messages: theirs are read from then on, and so are those that are there. */
import { updateMessageFlagsAdd } from '@parley/contracts/channels/message-events'
import type { PersonalFact } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { isUnreadAfterMark, unreadExceptionHits } from '../narrows/conditions.ts'
import { personalHistory, unbounded } from '../narrows/history.ts'
import { nearestIds } from '../narrows/nearest.ts'
import { findActor } from '../permissions/find-actor.ts'
import type { Deps } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { lockReadState, toldAtMost } from './read-store.ts'

/** `before`: whom the user had muted until now. */
export const followMutes = async (
  deps: Pick<Deps, 'users' | 'realms' | 'database'>,
  tx: Tx<typeof updateMessageFlagsAdd>,
  { id, realm_id, muted_user_ids }: PersonalFact,
  before: readonly number[],
): Promise<void> => {
  const { sql } = tx
  const begun = muted_user_ids.filter((other) => !before.includes(other))
  const ended = before.filter((other) => !muted_user_ids.includes(other))
  if (begun.length + ended.length === 0) return
  await lockReadState(sql, realm_id, id)
  // What they send is told as read or not, and is so.
  await lockRealmOrder(sql, realm_id)
  if (ended.length > 0) {
    await sql`
      UPDATE muted_senders SET read_up_to = (SELECT coalesce(max(id), 0) FROM messages)
      WHERE user_id = ${id} AND sender_id = ANY (${ended}::bigint[])`
  }
  if (begun.length === 0) return
  const unread = await unreadFrom(deps, tx, { id, realm_id }, begun)
  await sql`
    INSERT INTO muted_senders (user_id, sender_id, read_up_to)
    SELECT ${id}, unnest(${begun}::bigint[]), 9223372036854775807
    ON CONFLICT (user_id, sender_id) DO UPDATE SET read_up_to = excluded.read_up_to`
  await sql`
    DELETE FROM read_exceptions e USING messages m
    WHERE e.user_id = ${id} AND NOT e.is_read AND m.id = e.message_id AND m.sender_id = ANY (${begun}::bigint[])`
  if (unread.length === 0) return
  tx.emit(
    updateMessageFlagsAdd,
    { realm: realm_id, users: [id] },
    { operation: 'add', flag: 'read', messages: unread, all: false },
  )
}

/** The newest unread messages of some senders, ascending. */
const unreadFrom = async (
  deps: Pick<Deps, 'users' | 'realms' | 'database'>,
  { sql }: Tx,
  { id, realm_id }: { readonly id: number; readonly realm_id: number },
  senderIds: readonly number[],
): Promise<number[]> => {
  const reader = (await deps.users.byIds(realm_id, [id])).get(id)
  if (reader === undefined) return []
  const history = await personalHistory(
    sql,
    await findActor(deps, reader, await deps.realms.get(realm_id), sql),
  )
  const isTheirs = sql`m.sender_id = ANY (${[...senderIds]}::bigint[])`
  const found = await nearestIds(
    sql,
    [
      { history, part: 'after marks', conditions: [isUnreadAfterMark(sql, id), isTheirs] },
      { history, conditions: [isTheirs], hits: unreadExceptionHits(sql, id) },
    ],
    { place: unbounded, side: 'older', count: toldAtMost },
  )
  return found.sort((a, b) => a - b)
}
