import type { AnyEvent } from '@parley/contracts'
import { groupsTopic, type RealmFact } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { groupFact } from './group-presentation.ts'
import { type GroupRow, groupsByIds } from './group-store.ts'

/** Tells other services how a group is now, and returns it. To be called in every transaction that changes one. */
export const publishGroup = async <Events extends AnyEvent>(
  tx: Tx<Events>,
  realmId: number,
  id: number,
  system: RealmFact['system_groups'],
): Promise<GroupRow> => {
  const [group] = await groupsByIds(tx.sql, realmId, [id])
  tx.publish(groupsTopic, id, groupFact(group!, system))
  return group!
}
