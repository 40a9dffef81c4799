import type { Queries } from '../room.ts'
import type { NarrowPlan } from './narrow-plan.ts'
import { nearestIds } from './nearest.ts'

/** Those of some messages that a narrow contains; ascending. */
export const matchesOf = async (
  sql: Queries,
  plan: NarrowPlan,
  ids: readonly number[],
): Promise<number[]> => {
  const among = sql`m.id = ANY (${[...ids]}::bigint[])`
  // They are few, whatever the narrow is about; how a way finds its messages is a condition like others then.
  const ways = plan.ways.map(({ nearHits: _, ...way }) => ({
    ...way,
    conditions: way.hits === undefined ? way.conditions : [...way.conditions, way.hits],
    hits: among,
    mayBeMany: false,
  }))
  return nearestIds(sql, ways, { place: 0, side: 'newer', count: ids.length })
}
