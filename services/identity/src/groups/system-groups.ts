import { systemGroupNames } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'

/** The last of the names: in no other group, and nothing in it. */
const nobody = 'role:nobody'

/**
 * Makes the groups that every organization has, each containing those before it but for `role:nobody`; part of the
 * transaction that makes the organization.
 */
export const insertSystemGroups = async (sql: Queries, realmId: number): Promise<void> => {
  const groups = await sql<{ id: number; name: string }[]>`
    INSERT INTO user_groups (realm_id, name, is_system_group)
    SELECT ${realmId}, name, true
    FROM unnest(${[...systemGroupNames]}::text[]) WITH ORDINALITY AS system_group(name, position)
    ORDER BY position
    RETURNING id, name`
  const idOf = new Map(groups.map(({ id, name }) => [name, id]))
  const nested = systemGroupNames.filter((name) => name !== nobody).map((name) => idOf.get(name)!)
  const within = nested.flatMap((group_id, position) =>
    nested.slice(0, position + 1).map((subgroup_id) => ({ group_id, subgroup_id })),
  )
  const direct = nested.slice(1).map((group_id, position) => ({ group_id, subgroup_id: nested[position]! }))
  await sql`INSERT INTO group_subgroups ${sql(direct)}`
  const itself = { group_id: idOf.get(nobody)!, subgroup_id: idOf.get(nobody)! }
  const closure = [...within, itself]
  await sql`INSERT INTO group_closure ${sql(closure)}`
}
