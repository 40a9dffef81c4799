import type { RepublishedKind } from '@parley/contracts/identity/republishing'
import type { Queries } from '../room.ts'

export interface Renewed {
  readonly id: number
  readonly realm_id: number
}

/** Where each kind is stored, and by what it is named. */
const places: Record<RepublishedKind, { table: string; key: string }> = {
  realms: { table: 'realms', key: 'id' },
  users: { table: 'users', key: 'id' },
  groups: { table: 'user_groups', key: 'id' },
  personal: { table: 'personal', key: 'user_id' },
}

/** Gives the next states after an ID newer versions; in the order of IDs, fewer than `limit` when no more are left. */
export const renewVersions = async (
  sql: Queries,
  kind: RepublishedKind,
  realmId: number | null,
  afterId: number,
  limit: number,
): Promise<Renewed[]> => {
  const { table, key } = places[kind]
  const realmOf =
    kind === 'realms'
      ? sql`state.id`
      : kind === 'personal'
        ? sql`(SELECT realm_id FROM users WHERE users.id = state.user_id)`
        : sql`state.realm_id`
  const renewed = await sql<Renewed[]>`
    UPDATE ${sql(table)} AS state SET version = version + 1
    WHERE state.${sql(key)} = ANY (ARRAY (
      SELECT ${sql(key)} FROM ${sql(table)} AS state
      WHERE ${sql(key)} > ${afterId} AND (${realmId}::bigint IS NULL OR ${realmOf} = ${realmId})
      ORDER BY ${sql(key)} LIMIT ${limit} FOR UPDATE))
    RETURNING state.${sql(key)} AS id, ${realmOf} AS realm_id`
  return [...renewed].sort((one, other) => one.id - other.id)
}
