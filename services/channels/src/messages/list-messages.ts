import { limits, type ParamsOf, refuse } from '@parley/contracts'
import { anchorAfterAll } from '@parley/contracts/channels/anchors'
import { listMessages as contract } from '@parley/contracts/channels/messages'
import { endpoint, type Queries } from '../room.ts'
import { presentMessages } from './message-presentation.ts'
import { readableMessages } from './message-store.ts'
import { firstUnreadId, nearestIds, type PersonalHistory, personalHistory } from './personal-history.ts'

type Params = ParamsOf<typeof contract>

export const listMessages = endpoint(contract, async ({ params, caller, deps }) => {
  if (params.anchor === undefined) throw refuse('BAD_REQUEST', "Missing 'anchor' argument.")
  if (params.num_before + params.num_after > limits.maxMessagesPerRequest) {
    throw refuse('BAD_REQUEST', `Too many messages requested (maximum ${limits.maxMessagesPerRequest}).`)
  }
  const { anchor } = params
  const { database } = deps
  const { sql } = database
  const { page, stored } = await database.guard(
    (async () => {
      const history = await personalHistory(sql, caller.user)
      const page = await pageAround(sql, history, caller.user.id, { ...params, anchor })
      return { page, stored: await readableMessages(sql, caller.realm.id, caller.user, page.ids) }
    })(),
  )
  const messages = await presentMessages(deps, caller.realm, caller.user.id, stored, {
    apply_markdown: params.apply_markdown,
    client_gravatar: params.client_gravatar,
    empty_topic_name: params.allow_empty_topic_name,
  })
  const { ids: _, ...found } = page
  return { ...found, history_limited: false, messages }
})

interface Page {
  readonly anchor: number
  readonly found_anchor: boolean
  readonly found_oldest: boolean
  readonly found_newest: boolean
  /** Ascending. */
  readonly ids: number[]
}

/** Counts include what may stand on either side of the anchor; the anchor itself comes on top of them. */
const pageAround = async (
  sql: Queries,
  history: PersonalHistory,
  readerId: number,
  params: Params & { anchor: NonNullable<Params['anchor']> },
): Promise<Page> => {
  const anchor = await placeOf(sql, history, readerId, params.anchor)
  const isAtStart = anchor === 0
  const isAtEnd = anchor >= anchorAfterAll
  const place = Math.min(anchor, Number.MAX_SAFE_INTEGER)
  const older = isAtStart ? [] : await nearestIds(sql, history, place, 'older', params.num_before)
  const newerWithAnchor = isAtEnd ? [] : await nearestIds(sql, history, place, 'newer', params.num_after + 1)
  const isThere = newerWithAnchor[0] === place
  const newer = (isThere ? newerWithAnchor.slice(1) : newerWithAnchor).slice(0, params.num_after)
  const found_anchor = isThere && params.include_anchor
  return {
    anchor,
    found_anchor,
    found_oldest: isAtStart || older.length < params.num_before,
    found_newest: isAtEnd || newer.length < params.num_after,
    ids: [...older.reverse(), ...(found_anchor ? [place] : []), ...newer],
  }
}

const placeOf = async (
  sql: Queries,
  history: PersonalHistory,
  readerId: number,
  anchor: NonNullable<Params['anchor']>,
): Promise<number> => {
  switch (anchor) {
    case 'oldest':
      return 0
    case 'newest':
      return anchorAfterAll
    case 'first_unread':
      // Everything is read: as if asked for the newest.
      return (await firstUnreadId(sql, history, readerId)) ?? anchorAfterAll
    default:
      return anchor
  }
}
