import type { Queries } from '../room.ts'

interface Made {
  readonly user_id: number
  readonly realm_id: number
}

/** The account that was made under this name before; others with the name wait for whoever makes it now. */
export const madeBefore = async (sql: Queries, name: string): Promise<Made | undefined> => {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 509013))`
  const [made] = await sql<Made[]>`
    SELECT user_id, users.realm_id FROM joinings JOIN users ON users.id = user_id WHERE name = ${name}`
  return made
}

export const noteMade = async (sql: Queries, name: string, userId: number): Promise<void> => {
  await sql`INSERT INTO joinings (name, user_id) VALUES (${name}, ${userId})`
}
