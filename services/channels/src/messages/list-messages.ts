import { type ParamsOf, refuse } from '@parley/contracts'
import { listMessages as contract } from '@parley/contracts/channels/messages'
import type { MessagePresentation } from '@parley/contracts/objects/message'
import { PiecedReply, PreparedReply } from '@parley/kit'
import { asksForWebPublic } from '../narrows/anonymous.ts'
import { matchesOf } from '../narrows/matches.ts'
import { demandModestCounts, type WindowWish, windowAround } from '../narrows/message-window.ts'
import { type NarrowPlan, type NarrowReader, planNarrow, readAhead } from '../narrows/narrow-plan.ts'
import { notLoggedIn, readerOf } from '../narrows/reader.ts'
import { type Deps, endpoint, type Queries } from '../room.ts'
import { messageTexts, textsFor } from './message-presentation.ts'
import { shownMessages } from './message-store.ts'

type Params = ParamsOf<typeof contract>

export const listMessages = endpoint(contract, async ({ params, caller, deps }) => {
  const narrow = params.narrow ?? []
  if (caller.user === null && !asksForWebPublic(narrow)) throw notLoggedIn()
  const wants = {
    apply_markdown: params.apply_markdown,
    client_gravatar: params.client_gravatar,
    empty_topic_name: params.allow_empty_topic_name,
  }
  const { database } = deps
  const { sql } = database
  return database.guard(
    (async () => {
      const isSearched = params.message_ids === undefined || narrow.length > 0
      const ahead = isSearched ? readAhead(sql, caller.user?.id, narrow) : undefined
      const reader = await readerOf(deps, caller)
      const plan = () => planNarrow(deps, sql, reader, narrow, ahead)
      return params.message_ids === undefined
        ? page(deps, sql, reader, plan, windowOf(params), wants)
        : byIds(deps, sql, reader, plan, narrow.length > 0, messageIds(params), wants)
    })(),
  )
})

/** @throws ApiError for parameters that are missing or too large. */
const windowOf = (params: Params): WindowWish => {
  const anchor = params.use_first_unread_anchor ? 'first_unread' : params.anchor
  if (anchor === undefined) throw refuse('BAD_REQUEST', "Missing 'anchor' argument.")
  const { num_before, num_after } = params
  if (num_before === undefined) throw missing('num_before')
  if (num_after === undefined) throw missing('num_after')
  demandModestCounts(num_before, num_after)
  const { anchor_date, include_anchor } = params
  return { anchor, anchor_date, include_anchor, num_before, num_after }
}

const missing = (name: string) =>
  refuse('REQUEST_VARIABLE_MISSING', `Missing '${name}' argument`, { var_name: name })

/**
 * Each once, ascending.
 *
 * @throws ApiError INCOMPATIBLE_PARAMETERS when a range is asked for as well.
 */
const messageIds = (params: Params): readonly number[] => {
  const ranged = (['num_before', 'num_after', 'anchor', 'anchor_date'] as const).filter(
    (name) => params[name] !== undefined,
  )
  if (ranged.length > 0 || params.use_first_unread_anchor) {
    const parameters = 'num_before, num_after, message_ids, anchor, include_anchor, use_first_unread_anchor'
    throw refuse('INCOMPATIBLE_PARAMETERS', `Unsupported parameter combination: ${parameters}`, {
      parameters,
    })
  }
  return [...new Set(params.message_ids)].sort((a, b) => a - b)
}

const page = async (
  deps: Deps,
  sql: Queries,
  reader: NarrowReader,
  planned: () => Promise<NarrowPlan>,
  wish: WindowWish,
  wants: MessagePresentation,
) => {
  const plan = await planned()
  const { ids, ...found } = await windowAround(sql, plan, wish)
  return listed(found, ids, presenter(deps, sql, reader, plan.searches, wants))
}

/** By ID the reader gets whatever is readable; a narrow leaves less of it. */
const byIds = async (
  deps: Deps,
  sql: Queries,
  reader: NarrowReader,
  planned: () => Promise<NarrowPlan>,
  isNarrow: boolean,
  ids: readonly number[],
  wants: MessagePresentation,
) => {
  const plan = isNarrow ? await planned() : undefined
  const wanted = plan === undefined ? ids : await matchesOf(sql, plan, ids)
  const found = { found_newest: false, found_oldest: false, found_anchor: false }
  return listed(found, wanted, presenter(deps, sql, reader, plan?.searches ?? [], wants))
}

/** Writes some messages as texts. */
type Present = (ids: readonly number[]) => Promise<string[]>

const presenter =
  (
    deps: Deps,
    sql: Queries,
    { realm, person }: NarrowReader,
    searches: NarrowPlan['searches'],
    wants: MessagePresentation,
  ): Present =>
  async (ids) => {
    const shown = await shownMessages(sql, realm.id, person, ids, textsFor(wants, searches))
    return messageTexts(deps, sql, realm, person.id, shown, wants, searches)
  }

/** Messages of a first piece: a page of no more, as most are, is asked for and sent at once. */
const firstPiece = 100

/** Characters of a piece, about. */
const pieceLength = 512 * 1024

const listed = async (
  found: object,
  ids: readonly number[],
  present: Present,
): Promise<PreparedReply | PiecedReply> => {
  const fields = JSON.stringify({ result: 'success', msg: '', ...found, history_limited: false })
  const begin = `${fields.slice(0, -1)},"messages":[`
  return ids.length <= firstPiece
    ? new PreparedReply(`${begin}${(await present(ids)).join(',')}]}`)
    : new PiecedReply(pieces(begin, ids, present))
}

/**
 * A long page at the pace of its reader, for it may be of 5,000 messages of 10,000 characters each: what a reader who is
 * slow leaves in memory is two pieces, however much was asked for.
 */
async function* pieces(begin: string, ids: readonly number[], present: Present): AsyncGenerator<string> {
  let text = begin
  let count = firstPiece
  for (let at = 0; at < ids.length; ) {
    const some = ids.slice(at, at + count)
    at += some.length
    const messages = (await present(some)).join()
    if (messages === '') continue
    yield text + messages
    text = ','
    count = Math.max(1, Math.floor((pieceLength / messages.length) * some.length))
  }
  yield text === begin ? `${begin}]}` : ']}'
}
