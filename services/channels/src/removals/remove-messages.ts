import type { Tx } from '@parley/kit'
import { takeAway } from '../retention/take-away.ts'
import type { Deps } from '../room.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { takeDue } from '../scheduler/take-due.ts'
import {
  claimRemoval,
  endRemoval,
  messagesToRemove,
  nextPlace,
  putOffRemoval,
  type Removal,
  secondsToRemoval,
} from './removal-store.ts'

/** Messages that one transaction deletes: as many events as a client without the capability receives at once. */
const messagesAtATime = 500

/** Deletes what accounts wrote that were ended with that wish, a portion of one conversation at a time. */
export const removalWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'message removals',
    takeOne: () =>
      takeDue<Removal>({
        name: 'message removals',
        database,
        log,
        claim: claimRemoval,
        perform: (tx, removal) => step(deps, tx, removal),
        putOff: putOffRemoval,
      }),
    secondsToNext: () => database.guard(secondsToRemoval(database.sql)),
  }
}

const step = async (deps: Deps, tx: Tx, removal: Removal): Promise<string> => {
  const place = await nextPlace(tx.sql, removal)
  if (place === undefined) {
    await endRemoval(tx.sql, removal.id)
    return 'done'
  }
  await takeAway(deps, tx, { realm_id: removal.realm_id, ...place }, () =>
    messagesToRemove(tx.sql, removal, place.recipient_id, messagesAtATime),
  )
  return 'deleted'
}
