import { traceQuestion } from '@parley/contracts/realm-data'
import { tracesOf } from '@parley/kit/purge-holdings'
import { holdings } from '../realm-data/holdings.ts'
import type { Deps } from '../room.ts'

/** Services besides this one that can say what they hold. The gateway's sessions end by themselves at the latest. */
const others = [
  'channels',
  'uploads',
  'invitations',
  'presence',
  'webhook-dispatcher',
  'event-queue',
] as const

/** What is left of an organization, by service; services that hold nothing are left out. */
export const tracesElsewhere = async (
  { ask }: Pick<Deps, 'ask'>,
  realm_id: number,
): Promise<Record<string, Record<string, number>>> => {
  const found = await Promise.all(
    others.map(async (service) => {
      const { traces } = await ask(traceQuestion(service).realmTraces, { realm_id })
      return [service, traces] as const
    }),
  )
  return Object.fromEntries(found.filter(([, traces]) => Object.keys(traces).length > 0))
}

export const tracesEverywhere = async (
  deps: Deps,
  realmId: number,
): Promise<Record<string, Record<string, number>>> => {
  const elsewhere = await tracesElsewhere(deps, realmId)
  const own = await tracesOf({ database: deps.database, holdings, deps }, realmId)
  return Object.keys(own).length === 0 ? elsewhere : { identity: own, ...elsewhere }
}
