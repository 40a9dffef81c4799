/**
 * Who is told of a channel's change, and what, follows from the accounts (active or not, which role) and groups that the
 * change finds. Were one of them to change at the same moment, each of the two transactions would miss what the other
 * stores, and somebody would keep a member that is none or never hear of a channel. So one of them waits for the other.
 * In both it is the first lock.
 */
import type { Queries } from '../room.ts'

/** Accounts and groups of the organization stay as they are until the end of the transaction. */
export const holdPeople = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock_shared((509014::bigint << 32) + ${realmId})`
}

/** The same for who changes one of them, alone: waits for everybody who found it as it was. */
export const holdPeopleToChange = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock((509014::bigint << 32) + ${realmId})`
}
