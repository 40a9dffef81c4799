import { shardOf } from '@parley/bus'
import type { ParamsOf } from '@parley/contracts'
import {
  type Caller,
  type CallerUser,
  ClientCapabilities,
  type ClientShape,
  refuse,
  roles,
} from '@parley/contracts'
import { listenToPublicChannels } from '@parley/contracts/channels/internals'
import type { getEvents } from '@parley/contracts/event-queue/queues'
import type { Deps } from '../room.ts'
import { NarrowError, narrowTest } from './narrow.ts'
import { newSecret, type QueueId } from './queue-id.ts'
import type { Known, QueueOpened } from './queue-records.ts'

/** What both ways of opening a queue take. */
type QueueParams = Omit<
  ParamsOf<typeof getEvents>,
  'queue_id' | 'last_event_id' | 'dont_block' | 'fetch_event_types' | 'presence_history_limit_days'
>

/** The form in which a client wants its events (facts 3.2). */
export const shapeOf = (
  params: Pick<
    QueueParams,
    'apply_markdown' | 'client_gravatar' | 'slim_presence' | 'include_subscribers' | 'client_capabilities'
  >,
): ClientShape => {
  const capabilities = params.client_capabilities ?? ClientCapabilities.parse({})
  return {
    apply_markdown: params.apply_markdown,
    client_gravatar: params.client_gravatar,
    slim_presence: params.slim_presence || capabilities.simplified_presence_events,
    include_subscribers: params.include_subscribers !== false,
    capabilities,
  }
}

/** The queue that a client asks for. */
const requested = (
  user: Pick<CallerUser, 'id' | 'role' | 'key_version'>,
  realm: Caller['realm'],
  params: QueueParams,
): QueueOpened => {
  if (params.all_public_streams && user.role === roles.guest) {
    throw refuse('BAD_REQUEST', 'User not authorized for this query')
  }
  const narrow = params.narrow ?? []
  try {
    narrowTest(narrow)
  } catch (error) {
    if (error instanceof NarrowError) throw refuse('BAD_REQUEST', error.message)
    throw error
  }
  return {
    realm: realm.id,
    user: user.id,
    ...(user.key_version === undefined ? {} : { key_version: user.key_version }),
    secret: newSecret(),
    types: params.event_types ?? null,
    narrow,
    all_public: params.all_public_streams,
    shape: shapeOf(params),
    idle: params.idle_queue_timeout,
    settled: false,
  }
}

/**
 * Opens a queue: a record of its shard's log, so that whatever commits from now on comes after it. It gives
 * nothing until its `queue-settled` record is there.
 *
 * Before that, channels hears of a queue that asks for all public channels: no shard gets messages for nobody.
 *
 * @throws ApiError BAD_REQUEST for narrows that a registration does not support; EngineUnavailableError.
 */
export const openQueue = async (
  deps: Deps,
  caller: { user: Pick<CallerUser, 'id' | 'role' | 'key_version'>; realm: Caller['realm'] },
  params: QueueParams,
): Promise<QueueId> => {
  const opened = requested(caller.user, caller.realm, params)
  if (opened.all_public) {
    await deps.ask(listenToPublicChannels, { listeners: [{ realm_id: opened.realm, user_id: opened.user }] })
  }
  const shard = shardOf(caller.user.id, deps.shards)
  const queue = await deps.shardLog.open(shard, opened)
  deps.polls.noteIssued(shard, queue)
  return { shard, queue, secret: opened.secret }
}

/** Lets a queue begin, without what the state that its client got contains already. */
export const settleQueue = async (
  { shardLog, polls }: Pick<Deps, 'shardLog' | 'polls'>,
  { shard, queue }: QueueId,
  known: Readonly<Record<string, Known>>,
): Promise<void> => {
  polls.noteIssued(shard, await shardLog.settle(shard, { queue, known }))
}
