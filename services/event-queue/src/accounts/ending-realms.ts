import { setTimeout as pause } from 'node:timers/promises'
import type { Running } from '@parley/kit'
import type { Deps } from '../room.ts'

/** Milliseconds in which polls that wait are answered once an event is in their queues. */
const answering = 150
/** Milliseconds after which queues end whether their clients were told or not. */
const longest = 900

/**
 * Ends the queues of organizations that were deactivated, but lets their clients hear of it first: the event went into the
 * shards' logs in the transaction that made the fact, so a record that is written after the fact was heard stands behind
 * it. Once a shard has come so far, the event is in its queues.
 */
export const endingRealms = ({ owners, log }: Pick<Deps, 'owners' | 'log'>) => {
  const open = new Set<Promise<void>>()
  const end = async (realm: number): Promise<void> => {
    const giveUp = new AbortController()
    await Promise.race([
      owners.caughtUp({ realm }).then(() => pause(answering)),
      pause(longest, undefined, { signal: giveUp.signal }).catch(() => {}),
    ]).catch((error) => log.warn({ err: error, realm }, 'queues end without a word'))
    giveUp.abort()
    await owners.closeRefused({ realm })
  }
  const endings: Running & { begin(realm: number): void } = {
    begin(realm) {
      const ending = end(realm)
        .catch((error) => log.warn({ err: error, realm }, 'queues of a deactivated organization remain'))
        .finally(() => open.delete(ending))
      open.add(ending)
    },
    stop: async () => {
      await Promise.all(open)
    },
  }
  return endings
}
