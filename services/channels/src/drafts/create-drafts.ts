import { limits } from '@parley/contracts'
import { createDrafts as contract } from '@parley/contracts/channels/drafts'
import { draftsAdd } from '@parley/contracts/channels/events'
import type { Draft } from '@parley/contracts/objects/draft'
import { endpoint } from '../room.ts'
import { demandRecipients } from './draft-recipients.ts'
import { keptDraft } from './draft-rules.ts'
import { countDrafts, insertDrafts } from './draft-store.ts'

export const createDrafts = endpoint(contract, async ({ params, caller, deps, refuse, transaction }) => {
  const now = Date.now() / 1000
  const drafts = params.drafts.map((sent) => keptDraft(sent, now))
  if (drafts.length === 0) return { ids: [] }
  await demandRecipients(deps, caller, drafts)
  return transaction(async (tx) => {
    // Requests side by side may go a little beyond; the limit is there to bound what a client has to load.
    if ((await countDrafts(tx.sql, caller.user.id)) + drafts.length > limits.maxDrafts) {
      throw refuse('BAD_REQUEST', `You can't have more than ${limits.maxDrafts} drafts.`)
    }
    const made = await insertDrafts(tx.sql, caller.user.id, drafts)
    for (const part of inEvents(made)) {
      tx.emit(draftsAdd, { realm: caller.realm.id, users: [caller.user.id] }, { drafts: part })
    }
    return { ids: made.map((draft) => draft.id) }
  })
})

/** Drafts in one event, at most: the longest ones together stay well below what an announcement may weigh. */
const draftsPerEvent = 25

const inEvents = (drafts: readonly Draft[]): Draft[][] =>
  Array.from({ length: Math.ceil(drafts.length / draftsPerEvent) }, (_, part) =>
    drafts.slice(part * draftsPerEvent, (part + 1) * draftsPerEvent),
  )
