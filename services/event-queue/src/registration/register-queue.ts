import {
  type Caller,
  type KnownCaller,
  limits,
  notLoggedIn,
  type ParamsOf,
  publicPath,
  refuse,
} from '@parley/contracts'
import { registerQueue as contract } from '@parley/contracts/event-queue/queues'
import { getEmojiNames } from '@parley/contracts/gateway/docs'
import { findRealmById } from '@parley/contracts/identity/internals'
import { PiecedReply, PreparedReply } from '@parley/kit'
import { nothingRead } from '../queues/event-ids.ts'
import { openQueue, settleQueue, shapeOf } from '../queues/open-queue.ts'
import { formatQueueId } from '../queues/queue-id.ts'
import { type Deps, endpoint } from '../room.ts'
import { gatherState } from './gather-state.ts'
import { planSections, type SectionRequest } from './section-plan.ts'
import type { Share } from './state-room.ts'

type Params = ParamsOf<typeof contract> & { readonly client_gravatar: boolean }

const optionsOf = (params: Params) => {
  const { apply_markdown, client_gravatar, slim_presence } = shapeOf(params)
  const { include_subscribers, presence_history_limit_days, client_capabilities } = params
  return {
    ...{ apply_markdown, client_gravatar, slim_presence },
    ...{ include_subscribers, presence_history_limit_days, client_capabilities },
  }
}

/** What every registration is told, whatever it asks for (facts 3.1). */
const always = (params: Params, { realm }: Caller, { release }: Pick<Deps, 'release'>) => ({
  last_event_id: nothingRead,
  zulip_version: limits.serverVersion,
  zulip_feature_level: limits.featureLevel,
  service_feature_level: limits.featureLevel,
  zulip_merge_base: limits.mergeBase,
  idle_queue_timeout_secs: params.idle_queue_timeout,
  event_queue_longpoll_timeout_seconds: limits.longPollTimeoutSeconds,
  server_emoji_data_url: `${realm.url}${publicPath(getEmojiNames)}`,
  server_generation: release.since,
  max_bulk_new_subscription_messages: limits.maxBulkNewSubscriptionMessages,
  max_reminder_note_length: limits.maxReminderNoteLength,
})

/**
 * Opens the queue and reads the state that its events continue. The queue is open before state is read: what commits
 * from here on is in the queue, in the state, or in both, and what is in both is taken out of the queue by the snapshots.
 */
const registered = async (
  deps: Deps,
  caller: KnownCaller,
  params: Params,
  requests: SectionRequest[],
  share: Share,
) => {
  const id = await openQueue(deps, caller, params)
  const { pieces, known } = await gatherState(deps.ask, caller, requests, optionsOf(params), share)
  await settleQueue(deps, id, known)
  return { queue_id: formatQueueId(id), pieces }
}

/** Who has no account sees what the organization shows to everybody, and hears of nothing. */
const lookedAt = async (
  deps: Deps,
  caller: Caller,
  params: Params,
  requests: SectionRequest[],
  share: Share,
) => {
  const { realm } = await deps.ask(findRealmById, { realm_id: caller.realm.id })
  if (realm?.is_active !== true || realm.settings?.enable_spectator_access !== true) throw notLoggedIn()
  // "Passing true in an unauthenticated request is an error."
  for (const name of ['client_gravatar', 'include_subscribers'] as const) {
    if (params[name] === true)
      throw refuse('BAD_REQUEST', `Invalid '${name}' parameter for anonymous request`)
  }
  const { pieces } = await gatherState(deps.ask, caller, requests, optionsOf(params), share)
  return { queue_id: null, pieces }
}

/** Bytes of a state that is sent in one piece. */
const small = 256 * 1024

/** An answer of these fields and those that the services wrote. */
const joined = (fields: object, pieces: readonly Uint8Array[], share: Share): PreparedReply | PiecedReply => {
  const head = `${JSON.stringify(fields).slice(0, -1)}${pieces.length === 0 ? '' : ','}`
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length <= small) {
    share.release()
    return new PreparedReply(`${head}${Buffer.concat(pieces)}}`)
  }
  async function* all() {
    try {
      yield head
      yield* pieces
      yield '}'
    } finally {
      share.release()
    }
  }
  return new PiecedReply(all())
}

export const registerQueue = endpoint(contract, async ({ params: sent, caller, deps }) => {
  const params = { ...sent, client_gravatar: sent.client_gravatar ?? caller.user !== null }
  const requests = planSections(params.fetch_event_types ?? params.event_types ?? null)
  const share = await deps.states.enter()
  try {
    const { pieces, queue_id } =
      caller.user === null
        ? await lookedAt(deps, caller, params, requests, share)
        : await registered(deps, caller as KnownCaller, params, requests, share)
    const fields = { result: 'success', msg: '', ...always(params, caller, deps), queue_id }
    return joined(fields, pieces, share)
  } catch (error) {
    share.release()
    throw error
  }
})
