import { setTimeout as pause } from 'node:timers/promises'
import { consumeIntoDatabase, type RunningConsumer } from '@parley/bus'
import { companyTopic } from '@parley/contracts/channels/topics'
import { announcing, type Running } from '@parley/kit'
import { lockAccounts } from '../realms/realm-store.ts'
import type { Deps } from '../room.ts'
import { type AcquaintanceEvents, refreshAcquaintances } from './acquaintance-changes.ts'

/** Milliseconds before another attempt to begin. */
const comebackPause = 1000

type Following = Pick<Deps, 'ask' | 'bus' | 'database'>

const follow = ({ ask, bus, database }: Following): Promise<RunningConsumer> =>
  consumeIntoDatabase({
    bus,
    database,
    name: 'identity.company',
    topic: companyTopic,
    handle: async (transaction, { value }) => {
      if (value === null) return
      const tx = announcing<AcquaintanceEvents>(transaction)
      await lockAccounts(tx.sql, value.realm_id)
      await refreshAcquaintances(tx, ask, value.realm_id, value.user_ids)
    },
  })

/**
 * Follows who shares channels and conversations, where that decides whom guests may know. Begins in the background: who
 * is calling can be told without Kafka too.
 */
export const onCompanyChanged = (deps: Following): Running => {
  const stop = new AbortController()
  const beginning = (async () => {
    while (!stop.signal.aborted) {
      try {
        return await follow(deps)
      } catch (error) {
        deps.bus.log.warn({ err: error }, 'the company of guests is not followed yet')
        await pause(comebackPause, undefined, { signal: stop.signal }).catch(() => {})
      }
    }
    return undefined
  })()
  return {
    async stop() {
      stop.abort()
      await (await beginning)?.stop()
    },
  }
}
