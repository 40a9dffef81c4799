/** Whom guests may know where the organization limits it: see migrations/110_acquaintances.sql. */
import type { Queries } from '../room.ts'

/** What became of whom a guest may know: the account, and the guests concerned. */
export interface Concerned {
  readonly user_id: number
  readonly guest_ids: number[]
}

export const areGuestsLimited = async (sql: Queries, realmId: number): Promise<boolean> => {
  const [realm] = await sql<{ limited: boolean }[]>`SELECT limits_guests(${realmId}) AS limited`
  return realm!.limited
}

/** Whom a guest may know besides bots and itself; undefined where guests may know everybody. */
export const acquaintancesOf = async (
  sql: Queries,
  realmId: number,
  guestId: number,
): Promise<ReadonlySet<number> | undefined> => {
  const [found] = await sql<{ limited: boolean; ids: number[] }[]>`
    SELECT limits_guests(${realmId}) AS limited,
      to_jsonb(ARRAY(SELECT user_id FROM acquaintances WHERE guest_id = ${guestId})) AS ids`
  return found!.limited ? new Set(found!.ids) : undefined
}

/** Condition on a viewer (a row of `users`, limited if a guest): whether it may know an account that is no bot. */
export const mayKnow = (sql: Queries, userId: number) => sql`(
  users.role <> 600 OR users.id = ${userId}
  OR EXISTS (SELECT FROM acquaintances WHERE guest_id = users.id AND user_id = ${userId}))`

/** Active accounts that may know an account, in an organization that limits guests; by ID. */
export const viewerIdsOf = async (sql: Queries, realmId: number, userId: number): Promise<number[]> => {
  const viewers = await sql<{ id: number }[]>`
    SELECT id FROM users WHERE realm_id = ${realmId} AND is_active AND ${mayKnow(sql, userId)} ORDER BY id`
  return viewers.map(({ id }) => id)
}

/** Active guests that may not know an account; none where guests may know everybody, and none for bots. */
export const strangersTo = async (
  sql: Queries,
  { id, realm_id, bot_type }: { id: number; realm_id: number; bot_type: number | null },
): Promise<number[]> => {
  if (bot_type !== null) return []
  const guests = await sql<{ id: number }[]>`
    SELECT id FROM users
    WHERE realm_id = ${realm_id} AND role = 600 AND is_active AND limits_guests(${realm_id}) AND NOT ${mayKnow(sql, id)}
    ORDER BY id`
  return guests.map((guest) => guest.id)
}

export const guestIdsOf = async (sql: Queries, realmId: number): Promise<number[]> => {
  const guests = await sql<{ id: number }[]>`
    SELECT id FROM users WHERE realm_id = ${realmId} AND role = 600 ORDER BY id`
  return guests.map(({ id }) => id)
}

interface Change extends Concerned {
  readonly is_gone: boolean
}

/**
 * Writes down whom some accounts share something with: for the guests among them that is whom they may know, for all of
 * them which guests may know them. What was stored of other pairs stays.
 *
 * @returns what is different now, by account.
 */
export const storeCompany = (
  sql: Queries,
  realmId: number,
  userIds: readonly number[],
  pairs: readonly { readonly user_id: number; readonly known_id: number }[],
): Promise<Change[]> =>
  sql<Change[]>`
    WITH pairs AS (
      SELECT one, other FROM unnest(${pairs.map((pair) => pair.user_id)}::bigint[],
        ${pairs.map((pair) => pair.known_id)}::bigint[]) AS pair(one, other)
    ), wanted AS (
      SELECT guests.id AS guest_id, users.id AS user_id
      FROM (SELECT one, other FROM pairs UNION SELECT other, one FROM pairs) AS either
      JOIN users AS guests ON guests.id = either.one AND guests.realm_id = ${realmId} AND guests.role = 600
      JOIN users ON users.id = either.other AND users.realm_id = ${realmId} AND users.bot_type IS NULL
      WHERE guests.id <> users.id
    ), gone AS (
      DELETE FROM acquaintances USING users
      WHERE (guest_id = ANY (${[...userIds]}::bigint[]) OR user_id = ANY (${[...userIds]}::bigint[]))
        AND users.id = guest_id AND users.realm_id = ${realmId}
        AND NOT EXISTS (
          SELECT FROM wanted
          WHERE wanted.guest_id = acquaintances.guest_id AND wanted.user_id = acquaintances.user_id)
      RETURNING guest_id, user_id
    ), come AS (
      INSERT INTO acquaintances SELECT guest_id, user_id FROM wanted ON CONFLICT DO NOTHING
      RETURNING guest_id, user_id
    )
    SELECT true AS is_gone, user_id, to_jsonb(array_agg(guest_id ORDER BY guest_id)) AS guest_ids
    FROM gone GROUP BY user_id
    UNION ALL
    SELECT false, user_id, to_jsonb(array_agg(guest_id ORDER BY guest_id)) FROM come GROUP BY user_id
    ORDER BY is_gone, user_id`

/** Whom some guests may not know, and which of them. */
export const strangersOf = (
  sql: Queries,
  realmId: number,
  guestIds: readonly number[],
): Promise<Concerned[]> =>
  sql<Concerned[]>`
    SELECT users.id AS user_id, to_jsonb(array_agg(guest.id ORDER BY guest.id)) AS guest_ids
    FROM users CROSS JOIN unnest(${[...guestIds]}::bigint[]) AS guest(id)
    WHERE users.realm_id = ${realmId} AND users.bot_type IS NULL AND users.id <> guest.id
      AND NOT EXISTS (SELECT FROM acquaintances WHERE guest_id = guest.id AND user_id = users.id)
    GROUP BY users.id ORDER BY users.id`

/** Forgets what was stored for some guests. */
export const forgetAcquaintances = async (sql: Queries, guestIds: readonly number[]): Promise<void> => {
  await sql`DELETE FROM acquaintances WHERE guest_id = ANY (${[...guestIds]}::bigint[])`
}
