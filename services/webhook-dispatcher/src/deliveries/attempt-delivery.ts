import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { EngineUnavailableError, limits } from '@parley/contracts'
import { mayReadMessage } from '@parley/contracts/channels/internals'
import { attributes as names } from '@parley/contracts/telemetry-names'
import type { Database } from '@parley/db'
import { type Ask, inTransaction } from '@parley/kit'
import { Counter, Histogram } from 'prom-client'
import type { CallOutcome, Calls } from '../calls/call-receiver.ts'
import { payloadFinding, payloadOf } from '../payloads/payload.ts'
import { signatureHeaders } from '../payloads/signature.ts'
import { insertPosts, type NewPost } from '../posts/post-store.ts'
import { disabledText } from '../posts/post-texts.ts'
import { realmUrl } from '../realm-url.ts'
import { type Finding, judgeReceiver } from '../receivers/receiver-health.ts'
import { lockReceiver, type ReceiverRow, storeHealth } from '../receivers/receiver-store.ts'
import {
  type Judgement,
  judgeCall,
  judgeDisabled,
  judgeUnforeseen,
  judgeUntellable,
  judgeWaitedInVain,
  ownFailure,
  withdrawn,
} from './attempt-judgement.ts'
import { replyWindow } from './delivery-schedule.ts'
import { type AttemptRecord, type Claimed, storeFate } from './delivery-store.ts'
import type { Gate } from './gate.ts'

const tracer = trace.getTracer('parley.webhook-dispatcher')

const callDuration = new Histogram({
  name: 'parley_webhook_call_duration_seconds',
  help: 'Time of calls to receivers, by how they ended.',
  labelNames: ['outcome'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
})
const firstAttempt = new Histogram({
  name: 'parley_webhook_first_attempt_seconds',
  help: 'From the second in which a message was sent to the first call that tells a receiver of it.',
  buckets: [1, 2, 5, 10, 30, 60, 300, 3600],
})
const deliveriesEnded = new Counter({
  name: 'parley_webhook_deliveries_total',
  help: 'Deliveries that are over, by their end.',
  labelNames: ['state'],
})

/** Characters of an answer that the log keeps. */
const loggedAnswer = 1000

export interface AttemptParts {
  readonly database: Database
  readonly ask: Ask
  readonly calls: Calls
  readonly publicUrl: string
  /** Called when messages of bots were written down. */
  readonly onPosts: () => void
  /** Through which failures are written down. */
  readonly failures: Gate
}

interface Made {
  readonly outcome: CallOutcome
  readonly record: AttemptRecord
}

const makeCall = async (
  { calls, publicUrl }: AttemptParts,
  { delivery, receiver }: Claimed,
): Promise<Made> => {
  const { message, trigger } = delivery
  const realmHost = new URL(realmUrl(publicUrl, message.sender_realm_str)).host
  const { contentType, body } = payloadOf(receiver.interface, { bot: receiver, trigger, message, realmHost })
  const started_at = new Date()
  if (delivery.attempts === 0) firstAttempt.observe(started_at.getTime() / 1000 - message.timestamp)
  const secrets = [receiver.secret]
  const { previous_secret, previous_secret_until } = receiver
  if (previous_secret !== null && previous_secret_until !== null && previous_secret_until > started_at) {
    secrets.push(previous_secret)
  }
  const outcome = await calls.call({
    receiverId: receiver.bot_id,
    url: receiver.url,
    headers: {
      'content-type': contentType,
      accept: 'application/json',
      'user-agent': `Parley/${limits.serverVersion} (outgoing webhook)`,
      ...signatureHeaders({
        secrets,
        id: delivery.public_id,
        timestamp: Math.floor(started_at.getTime() / 1000),
        body,
      }),
    },
    body,
  })
  const duration_ms = Date.now() - started_at.getTime()
  const label = outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind
  callDuration.observe({ outcome: label }, duration_ms / 1000)
  return {
    outcome,
    record: {
      started_at,
      duration_ms,
      url: receiver.url,
      status: outcome.kind === 'answered' ? outcome.status : null,
      error: outcome.kind === 'answered' ? null : outcome.reason,
      response_body: outcome.kind === 'answered' ? [...outcome.body].slice(0, loggedAnswer).join('') : null,
    },
  }
}

/** The call as a span of the trace that began with the message. */
const traced = async (claimed: Claimed, work: () => Promise<Made>): Promise<Made> => {
  const { traceparent, public_id } = claimed.delivery
  if (traceparent === null) return work()
  const parent = propagation.extract(context.active(), { traceparent })
  const attributes = {
    [names.method]: 'POST',
    [names.serverAddress]: URL.parse(claimed.receiver.url)?.hostname ?? '',
    [names.deliveryId]: public_id,
  }
  return tracer.startActiveSpan(
    'call webhook',
    { kind: SpanKind.CLIENT, attributes },
    parent,
    async (span) => {
      try {
        const made = await work()
        if (made.record.status !== null) span.setAttribute(names.status, made.record.status)
        else span.setStatus({ code: SpanStatusCode.ERROR })
        return made
      } finally {
        span.end()
      }
    },
  )
}

/** What is judged, at this moment. */
const givenNow = ({ publicUrl }: AttemptParts, claimed: Claimed) => ({
  ...claimed,
  realmUrl: realmUrl(publicUrl, claimed.delivery.message.sender_realm_str),
  now: new Date(),
  chance: Math.random(),
})

const decide = async (
  parts: AttemptParts,
  claimed: Claimed,
): Promise<{ judgement: Judgement; made?: Made }> => {
  const { delivery, receiver } = claimed
  const given = () => givenNow(parts, claimed)
  if (!receiver.is_active) return { judgement: withdrawn }
  // Asked each time: access that was there when the message was sent may be gone.
  const { realm_id, bot_id, message_id } = delivery
  const { may_read } = await parts.ask(mayReadMessage, { realm_id, user_id: bot_id, message_id })
  if (!may_read) return { judgement: withdrawn }
  if (receiver.disabled_at !== null) return { judgement: judgeDisabled(given()) }
  const complaint = payloadFinding(receiver.interface, delivery.message)
  if (complaint !== undefined) return { judgement: judgeUntellable(given(), complaint) }
  const isPaused = receiver.paused_until !== null && receiver.paused_until > new Date()
  if (isPaused && delivery.phase === 'interactive' && delivery.age > replyWindow) {
    return { judgement: judgeWaitedInVain(given()) }
  }
  const made = await traced(claimed, () => makeCall(parts, claimed))
  const seconds = made.record.duration_ms / 1000
  const after = given()
  const aged = { ...after, delivery: { ...delivery, age: delivery.age + seconds } }
  return { judgement: judgeCall(aged, made.outcome), made }
}

/** What an outcome does to the receiver, and the notice for its owner when that was the end. */
const judgedReceiver = (
  before: ReceiverRow,
  { delivery }: Claimed,
  finding: NonNullable<Judgement['finding']>,
): { verdict: ReturnType<typeof judgeReceiver>; notice: NewPost[] } => {
  const verdict = judgeReceiver(before, finding.kind, new Date(), finding.wish)
  const { disable } = verdict
  const isEnd = (disable === 'gone' || disable === 'failing') && before.disabled_at === null
  if (!isEnd || before.owner_id === null) return { verdict, notice: [] }
  const notice: NewPost = {
    name: `${delivery.public_id}/${delivery.attempts + 1}/disabled`,
    realm_id: delivery.realm_id,
    subdomain: delivery.message.sender_realm_str,
    bot_id: before.bot_id,
    delivery_id: delivery.id,
    kind: 'owner_notice',
    recipients: { user_ids: [before.owner_id] },
    content: disabledText(before, disable),
  }
  return { verdict, notice: [notice] }
}

/** Seconds after which a further success is worth noting. */
const successPause = 60

/** Whether an outcome says nothing new of a receiver: it answers, as it did a moment ago. */
const isExpected = (
  { failures, failing_since, paused_until, last_success_at }: ReceiverRow,
  kind: Finding,
): boolean =>
  kind === 'success' &&
  failures === 0 &&
  failing_since === null &&
  paused_until === null &&
  last_success_at !== null &&
  Date.now() - last_success_at.getTime() < successPause * 1000

/** An attempt that ended in an error which nobody foresaw is one of the schedule: so there is a last one. */
const writeUnforeseen = async (parts: AttemptParts, claimed: Claimed): Promise<void> => {
  const { delivery, receiver } = claimed
  const { fate, posts } = judgeUnforeseen(givenNow(parts, claimed))
  const record = {
    started_at: new Date(),
    duration_ms: 0,
    url: receiver.url,
    status: null,
    response_body: null,
  }
  const isStored = await inTransaction(parts.database, async ({ sql }) => {
    if (!(await storeFate(sql, delivery, fate, { ...record, error: ownFailure }))) return false
    await insertPosts(sql, posts)
    return true
  })
  if (!isStored) return
  if (fate.state !== 'pending') deliveriesEnded.inc({ state: fate.state })
  if (posts.length > 0) parts.onPosts()
}

/**
 * Works on a delivery in hand: asks whether the bot may still see the message, calls the receiver, and writes down what
 * follows in one transaction. Dying anywhere in between leaves a delivery that is due again.
 *
 * @throws EngineUnavailableError when channels or Postgres are away; nothing was decided then. Any other error, too: the
 * next attempt was put off as after any that failed, if that could be written down.
 */
export const attemptDelivery = async (parts: AttemptParts, claimed: Claimed): Promise<void> => {
  try {
    await attemptForeseen(parts, claimed)
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) await writeUnforeseen(parts, claimed).catch(() => {})
    throw error
  }
}

const attemptForeseen = async (parts: AttemptParts, claimed: Claimed): Promise<void> => {
  const { delivery } = claimed
  const { judgement, made } = await decide(parts, claimed)
  const { fate, finding, posts } = judgement
  const isNews = finding !== undefined && !isExpected(claimed.receiver, finding.kind)
  const store = () =>
    inTransaction(parts.database, async ({ sql }) => {
      const receiver = isNews ? await lockReceiver(sql, delivery.bot_id) : undefined
      if (!(await storeFate(sql, delivery, fate, made?.record))) return false
      await insertPosts(sql, posts)
      // What was found at an older URL says nothing of the present one.
      if (finding !== undefined && receiver !== undefined && receiver.url === made?.record.url) {
        const { verdict, notice } = judgedReceiver(receiver, claimed, finding)
        await storeHealth(sql, delivery.bot_id, verdict)
        await insertPosts(sql, notice)
      }
      return true
    })
  const isStored = await (fate.state === 'delivered' ? store() : parts.failures(store))
  if (!isStored) return
  if (fate.state !== 'pending') deliveriesEnded.inc({ state: fate.state })
  if (posts.length > 0 || (finding !== undefined && finding.kind !== 'success')) parts.onPosts()
}
