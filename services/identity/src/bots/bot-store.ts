import type { Queries } from '../room.ts'

/** What a bot has besides being an account. */
export interface BotRow {
  readonly user_id: number
  readonly default_sending_stream: string | null
  readonly default_events_register_stream: string | null
  readonly default_all_public_streams: boolean
  /** The three of outgoing-webhook bots; all null for other bots. */
  readonly payload_url: string | null
  readonly interface: 1 | 2 | null
  readonly token: string | null
}

/** The columns that {@link updateBotRow} may set. */
export type BotChanges = Partial<Omit<BotRow, 'user_id' | 'token'>>

const columns = (sql: Queries) => sql`
  user_id, default_sending_stream, default_events_register_stream, default_all_public_streams, payload_url, interface,
  token`

export const insertBot = async (sql: Queries, bot: BotRow): Promise<void> => {
  await sql`INSERT INTO bots ${sql({ ...bot })}`
}

export const botById = async (sql: Queries, userId: number): Promise<BotRow | undefined> => {
  const [bot] = await sql<BotRow[]>`SELECT ${columns(sql)} FROM bots WHERE user_id = ${userId}`
  return bot
}

/** The bots of an organization, those of one owner when given; by ID. */
export const botsOfRealm = (sql: Queries, realmId: number, ownerId?: number): Promise<BotRow[]> =>
  sql<BotRow[]>`
    SELECT ${columns(sql)} FROM bots
    WHERE user_id IN (
      SELECT id FROM users WHERE realm_id = ${realmId} AND bot_type IS NOT NULL
        ${ownerId === undefined ? sql`` : sql`AND bot_owner_id = ${ownerId}`})
    ORDER BY user_id`

/** The bots of an organization that are not this account's; by ID. */
export const botsOfOthers = async (sql: Queries, realmId: number, userId: number): Promise<BotRow[]> =>
  sql<BotRow[]>`
    SELECT ${columns(sql)} FROM bots
    WHERE user_id IN (
      SELECT id FROM users
      WHERE realm_id = ${realmId} AND bot_type IS NOT NULL AND bot_owner_id IS DISTINCT FROM ${userId})
    ORDER BY user_id`

export const updateBotRow = async (sql: Queries, userId: number, changes: BotChanges): Promise<BotRow> => {
  const [bot] = await sql<BotRow[]>`
    UPDATE bots SET ${sql({ ...changes })} WHERE user_id = ${userId} RETURNING ${columns(sql)}`
  return bot!
}

/** Who sees a bot's own properties: its owner, and the administrators of its organization. */
export const botWatchers = async (
  sql: Queries,
  realmId: number,
  ownerId: number | null,
): Promise<number[]> => {
  const watchers = await sql<{ id: number }[]>`
    SELECT id FROM users
    WHERE realm_id = ${realmId} AND is_active AND (role <= 200 OR id = ${ownerId}) ORDER BY id`
  return watchers.map(({ id }) => id)
}
