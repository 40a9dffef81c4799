import { Caller, type KnownCaller, refuse, type SectionOptions } from '@parley/contracts'
import type { Database, Snapshot } from '@parley/db'
import { z } from 'zod'
import type { SectionHandler } from './room.ts'

/** What event-queue asks every service that owns sections; the answer carries the snapshot it was read in. */
export interface SectionState {
  state: Record<string, unknown>
  snapshot: Snapshot
}

/** Reads the asked sections of one service in one database snapshot. */
export const sectionState = (parts: {
  sections: readonly SectionHandler<never, unknown>[]
  deps: unknown
  options: typeof SectionOptions
}): ((body: unknown) => Promise<SectionState>) => {
  const Input = z.object({ caller: Caller, sections: z.array(z.string()), options: parts.options })
  const byName = new Map(
    parts.sections.map((handler) => [(handler.section as { name: string }).name, handler]),
  )
  const { database } = parts.deps as { database: Database }
  return async (body) => {
    const input = Input.safeParse(body)
    if (!input.success) throw refuse('BAD_REQUEST', z.prettifyError(input.error))
    const { caller, sections, options } = input.data
    return database.snapshot(async (sql, snapshot) => {
      const state: Record<string, unknown> = {}
      for (const name of sections) {
        const handler = byName.get(name)
        if (handler === undefined) throw refuse('BAD_REQUEST', `There is no section ${name} here.`)
        const { deps } = parts
        const known = caller.user === null ? undefined : (caller as KnownCaller)
        const fields =
          known === undefined
            ? await handler.readForSpectator?.({ realm: caller.realm, options, sql, deps })
            : await handler.read({ caller: known, options, sql, snapshot, deps })
        Object.assign(state, fields)
      }
      return { state, snapshot }
    })
  }
}
