import { systemGroupNames } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'

/** Makes the groups that every organization has; part of the transaction that makes the organization. */
export const insertSystemGroups = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`
    INSERT INTO user_groups (realm_id, name, is_system_group)
    SELECT ${realmId}, name, true
    FROM unnest(${[...systemGroupNames]}::text[]) WITH ORDINALITY AS system_group(name, position)
    ORDER BY position`
}
