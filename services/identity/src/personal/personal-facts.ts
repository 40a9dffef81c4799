import type { AnyEvent } from '@parley/contracts'
import { personalTopic } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { personalFacts } from './personal-store.ts'

/** Tells other services what accounts chose. To be called in every transaction that changes it, after the change. */
export const publishPersonal = async <Events extends AnyEvent>(
  tx: Tx<Events>,
  realmId: number,
  userIds: readonly number[],
): Promise<void> => {
  for (const fact of await personalFacts(tx.sql, realmId, userIds)) tx.publish(personalTopic, fact.id, fact)
}
