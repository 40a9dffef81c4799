import { refuse } from '@parley/contracts'
import type { Queries } from '../room.ts'
import { type GroupRow, groupsByIds } from './group-store.ts'

/** The group of an organization that a caller names. @throws ApiError BAD_REQUEST */
export const demandGroup = async (sql: Queries, realmId: number, id: number): Promise<GroupRow> => {
  const [group] = await groupsByIds(sql, realmId, [id])
  if (group === undefined) throw refuse('BAD_REQUEST', 'Invalid user group')
  return group
}

/**
 * One that can change: system groups never do, deactivated groups only where `deactivated` says so.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandChangeableGroup = async (
  sql: Queries,
  realmId: number,
  id: number,
  { deactivated = false } = {},
): Promise<GroupRow> => {
  const group = await demandGroup(sql, realmId, id)
  if (group.is_system_group) throw refuse('BAD_REQUEST', 'Insufficient permission')
  if (group.deactivated && !deactivated) throw refuse('BAD_REQUEST', 'User group is deactivated.')
  return group
}
