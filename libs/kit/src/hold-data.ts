import { type DataHolder, dataQuestions } from '@parley/contracts/realm-data'
import type { Database } from '@parley/db'
import type { Holdings } from './holdings.ts'
import { tracesOf } from './purge-holdings.ts'
import { readHoldings } from './read-holdings.ts'
import { room } from './room.ts'
import { reserveIds, takeInRows } from './take-in-holdings.ts'

/** The answers of a service to questions about the data of whole organizations: all that it has to do is to list it. */
export const holdData = <Deps extends { readonly database: Database }, const Service extends DataHolder>(
  service: Service,
  holdings: Holdings<Deps>,
) => {
  const { internal } = room<Deps>()
  const questions = dataQuestions(service)
  const parts = (deps: Deps) => ({ database: deps.database, holdings, deps })
  return {
    readRealm: internal(questions.readRealm, async ({ input: { realm_id, ...scope }, deps }) =>
      readHoldings(parts(deps), realm_id, scope),
    ),
    reserveIds: internal(questions.reserveIds, async ({ input, deps }) => ({
      shifts: await reserveIds(deps.database, holdings, input.ids),
    })),
    takeInRows: internal(questions.takeInRows, async ({ input, deps }) => {
      const { realm_id: realmId, realm_host: realmHost, as_stubs: asStubs, origin, shifts } = input
      const context = { realmId, realmHost, origin, shifts, asStubs }
      await takeInRows(parts(deps), input.table, input.rows, context)
      return {}
    }),
    settleRealm: internal(questions.settleRealm, async ({ input, deps }) => {
      await holdings.settle?.(input.realm_id, deps)
      return {}
    }),
    realmTraces: internal(questions.realmTraces, async ({ input, deps }) => ({
      traces: await tracesOf(parts(deps), input.realm_id),
    })),
  }
}
