import { roles } from '@parley/contracts'
import { companyOf as contract } from '@parley/contracts/channels/internals'
import { type CompanyFact, companyTopic } from '@parley/contracts/channels/topics'
import type { OutboxRow } from '@parley/db'
import { topicRow } from '@parley/kit'
import { realmPermission } from '../permissions/realm-permissions.ts'
import { internal, type Queries } from '../room.ts'
import type { Realm } from './realm-store.ts'

/** Whether guests of the organization know only those with whom they share a channel or a conversation. */
export const areGuestsLimited = (realm: Pick<Realm, 'settings' | 'system_groups'>): boolean =>
  realmPermission(realm, 'can_access_all_users_group') !== realm.system_groups['role:everyone']

const companyFact = (realm: Realm, userIds: Iterable<number>): CompanyFact => ({
  realm_id: realm.id,
  user_ids: [...new Set(userIds)],
})

/**
 * Tells identity, which decides what guests may know, that people's company changes in this transaction. Nothing where
 * guests know everybody.
 */
export const publishCompany = (
  tx: {
    publish(topic: typeof companyTopic, key: number, value: CompanyFact): void
  },
  realm: Realm,
  userIds: Iterable<number>,
): void => {
  if (areGuestsLimited(realm)) tx.publish(companyTopic, realm.id, companyFact(realm, userIds))
}

/** The same for a statement that announces by itself. */
export const companyRow = (realm: Realm, userIds: Iterable<number>): OutboxRow | undefined =>
  areGuestsLimited(realm) ? topicRow(companyTopic, realm.id, companyFact(realm, userIds)) : undefined

interface Pair {
  readonly user_id: number
  readonly known_id: number
}

/** Who shares a channel (both subscribed now) or a direct conversation with each of some people. */
const pairsOf = (sql: Queries, realmId: number, userIds: readonly number[]): Promise<Pair[]> =>
  sql<Pair[]>`
    SELECT own.user_id, other.user_id AS known_id
    FROM subscription_periods own
    JOIN channels c ON c.id = own.channel_id AND c.realm_id = ${realmId}
    JOIN subscription_periods other ON other.channel_id = own.channel_id AND other.to_version IS NULL
    WHERE own.user_id = ANY (${[...userIds]}::bigint[]) AND own.to_version IS NULL
    UNION
    SELECT own.user_id, unnest(c.user_ids)
    FROM conversation_participants own
    JOIN conversations c ON c.recipient_id = own.recipient_id AND c.realm_id = ${realmId}
    WHERE own.user_id = ANY (${[...userIds]}::bigint[])`

export const companyOf = internal(contract, async ({ input, deps }) => {
  const pairs = await pairsOf(deps.database.sql, input.realm_id, input.user_ids)
  const known = new Map(input.user_ids.map((id) => [id, [] as number[]]))
  for (const { user_id, known_id } of pairs) if (known_id !== user_id) known.get(user_id)!.push(known_id)
  return { company: [...known].map(([user_id, known_ids]) => ({ user_id, known_ids })) }
})

/** Two accounts share a channel, or a direct conversation. */
const areAcquainted = (sql: Queries, one: ReturnType<Queries>, other: ReturnType<Queries>) => sql`(
  EXISTS (
    SELECT FROM subscription_periods a
    JOIN subscription_periods b ON b.channel_id = a.channel_id AND b.to_version IS NULL
    WHERE a.user_id = ${one} AND a.to_version IS NULL AND b.user_id = ${other})
  OR EXISTS (
    SELECT FROM conversation_participants a
    JOIN conversation_participants b ON b.recipient_id = a.recipient_id
    WHERE a.user_id = ${one} AND b.user_id = ${other}))`

export const isLimitedGuest = (realm: Realm, reader: { readonly role: number } | undefined): boolean =>
  reader?.role === roles.guest && areGuestsLimited(realm)

/** Those of some people whom a limited guest may not know. Bots everybody knows. */
export const strangersOf = async (
  sql: Queries,
  realm: Realm,
  guestId: number,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> => {
  const others = userIds.filter((id) => id !== guestId)
  if (others.length === 0) return new Set()
  const strangers = await sql<{ id: number }[]>`
    SELECT u.id FROM users u
    WHERE u.realm_id = ${realm.id} AND u.id = ANY (${others}::bigint[]) AND u.bot_type IS NULL
      AND NOT ${areAcquainted(sql, sql`${guestId}`, sql`u.id`)}`
  return new Set(strangers.map(({ id }) => id))
}

/** Guests who are subscribed to a channel and may not know somebody, who writes there. */
export const guestsInChannelWithout = async (
  sql: Queries,
  channelId: number,
  senderId: number,
): Promise<number[]> => {
  const guests = await sql<{ id: number }[]>`
    SELECT u.id FROM subscription_periods p JOIN users u ON u.id = p.user_id AND u.role = 600
    WHERE p.channel_id = ${channelId} AND p.to_version IS NULL AND u.id <> ${senderId}
      AND NOT ${areAcquainted(sql, sql`u.id`, sql`${senderId}`)}`
  return guests.map(({ id }) => id)
}
