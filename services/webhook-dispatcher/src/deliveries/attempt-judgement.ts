/** What follows from an attempt; no I/O. */
import type { CallOutcome } from '../calls/call-receiver.ts'
import { readReply } from '../payloads/reply.ts'
import type { NewPost, Recipients } from '../posts/post-store.ts'
import { failureText, ownerText } from '../posts/post-texts.ts'
import type { Finding } from '../receivers/receiver-health.ts'
import { nextTry, pauses, replyWindow, wishedPause } from './delivery-schedule.ts'
import type { Claimed, Fate } from './delivery-store.ts'

export interface Judgement {
  readonly fate: Fate
  /** What it says of the receiver, and for how many seconds that wants to be left alone; absent when nobody was asked. */
  readonly finding?: { readonly kind: Finding; readonly wish: number }
  readonly posts: readonly NewPost[]
}

interface Given extends Claimed {
  readonly realmUrl: string
  readonly now: Date
  /** Random, from 0 to 1. */
  readonly chance: number
}

const conversationOf = ({ delivery: { message } }: Claimed): Recipients =>
  typeof message.display_recipient === 'string'
    ? { channel_id: message.stream_id!, topic: message.subject }
    : { user_ids: message.display_recipient.map(({ id }) => id) }

const post = (
  { delivery, receiver }: Claimed,
  kind: NewPost['kind'],
  recipients: Recipients,
  content: string,
): NewPost => ({
  name: `${delivery.public_id}/${delivery.attempts + 1}/${kind}`,
  realm_id: delivery.realm_id,
  subdomain: delivery.message.sender_realm_str,
  bot_id: receiver.bot_id,
  delivery_id: delivery.id,
  kind,
  recipients,
  content,
})

const toConversation = (given: Claimed, complaint: string): NewPost =>
  post(given, 'notice', conversationOf(given), failureText(complaint))

const toOwner = (given: Given, findings: readonly string[], answer?: string): NewPost[] => {
  const { receiver, delivery, realmUrl } = given
  if (receiver.owner_id === null) return []
  const content = ownerText({ bot: receiver, realmUrl, message: delivery.message, findings, answer })
  return [post(given, 'owner_notice', { user_ids: [receiver.owner_id] }, content)]
}

/** Whether somebody may still be waiting for the bot to say something. */
const isAwaited = ({ delivery }: Claimed): boolean => delivery.age <= replyWindow

/** Notices for people; none about an attempt that a person asked for, who looks at its log. */
const notices = (given: Given, complaint: string, findings: readonly string[], answer?: string): NewPost[] =>
  given.delivery.phase === 'manual'
    ? []
    : [
        ...(given.delivery.phase === 'interactive' ? [toConversation(given, complaint)] : []),
        ...toOwner(given, findings, answer),
      ]

const succeeded = (given: Given, answer: { body: string; isWhole: boolean }): Judgement => {
  const fate: Fate = { state: 'delivered', failure: null }
  const finding = { kind: 'success', wish: 0 } as const
  // Nobody expects an answer to what was said hours ago.
  if (!isAwaited(given)) return { fate, finding, posts: [] }
  const reply = readReply(given.receiver.interface, answer)
  switch (reply.kind) {
    case 'nothing':
      return { fate, finding, posts: [] }
    case 'text':
      return {
        fate,
        finding,
        posts: [
          {
            ...post(given, 'reply', conversationOf(given), reply.content),
            ...(reply.widget === undefined ? {} : { widget_content: reply.widget }),
          },
        ],
      }
    case 'unreadable':
      return {
        fate,
        finding,
        posts: notices(
          given,
          reply.complaint,
          [`Its answer could not be used: ${reply.complaint}.`],
          answer.body,
        ),
      }
  }
}

/** It may work another time. */
const failedForNow = (
  given: Given,
  parts: { complaint: string; finding: string; answer?: string; wish: number; phaseAttempts?: number },
): Pick<Judgement, 'fate' | 'posts'> => {
  const { delivery, chance } = given
  const { complaint, finding, answer, wish } = parts
  const next = nextTry({
    phase: delivery.phase,
    phaseAttempts: parts.phaseAttempts ?? delivery.phase_attempts + 1,
    age: delivery.age,
    least: wish,
    chance,
  })
  if (next.kind === 'over') {
    const givenUp = `It was given up after ${delivery.attempts + 1} attempts.`
    return {
      fate: { state: 'failed', failure: finding },
      posts: notices(given, complaint, [finding, givenUp], answer),
    }
  }
  const { phase, phaseAttempts, pause } = next
  const isPatienceOver = delivery.phase === 'interactive' && phase === 'long'
  return {
    fate: { state: 'pending', failure: null, phase, phaseAttempts, pause },
    posts: isPatienceOver
      ? notices(
          given,
          complaint,
          [finding, 'It will be tried again for some days, without posting a reply.'],
          answer,
        )
      : [],
  }
}

/** It will not work another time either. */
const failedForGood = (
  given: Given,
  complaint: string,
  finding: string,
  answer?: string,
): Pick<Judgement, 'fate' | 'posts'> => ({
  fate: { state: 'failed', failure: finding },
  posts: notices(given, complaint, [finding], answer),
})

const unavailable = 'Bot is unavailable'
/** What a bot's owner can know of an error in this house. */
export const ownFailure = 'An unforeseen error of the chat server.'

/** Statuses by which a server says that it may go better later (RFC 9110; 425 of RFC 8470). */
const isTemporary = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429

export const judgeCall = (given: Given, outcome: CallOutcome): Judgement => {
  if (outcome.kind === 'forbidden') {
    return failedForGood(given, unavailable, `It was not called: ${outcome.reason}`)
  }
  if (outcome.kind === 'unreachable') {
    const failed = failedForNow(given, {
      complaint: unavailable,
      finding: `The webhook could not be called: ${outcome.reason}`,
      wish: 0,
    })
    return { ...failed, finding: { kind: 'down', wish: 0 } }
  }
  const { status, body } = outcome
  if (status >= 200 && status < 300) return succeeded(given, outcome)
  const complaint = `Third party responded with ${status}`
  const finding = `The webhook got a response with status code *${status}*.`
  if (status === 410) {
    return { ...failedForGood(given, complaint, finding, body), finding: { kind: 'gone', wish: 0 } }
  }
  if (!isTemporary(status)) {
    return { ...failedForGood(given, complaint, finding, body), finding: { kind: 'refused', wish: 0 } }
  }
  const wish = status === 429 || status === 503 ? wishedPause(outcome.retryAfter, given.now) : 0
  const failed = failedForNow(given, { complaint, finding, answer: body, wish })
  return { ...failed, finding: { kind: 'down', wish } }
}

/** Without a call: the receiver is paused, and whoever wrote has waited long enough. */
export const judgeWaitedInVain = (given: Given): Judgement =>
  failedForNow(given, {
    complaint: unavailable,
    finding: 'The webhook was not called: its last calls failed.',
    wish: 0,
    phaseAttempts: pauses.interactive.length,
  })

/** Whatever went wrong is nothing that the receiver did. */
export const judgeUnforeseen = (given: Given): Judgement =>
  failedForNow(given, { complaint: unavailable, finding: ownFailure, wish: 0 })

/** Without a call: what cannot be told in the receiver's form. */
export const judgeUntellable = (given: Given, complaint: string): Judgement =>
  failedForGood(given, complaint, complaint)

/** Without a call: the owner knows already. */
export const judgeDisabled = (given: Given): Judgement => ({
  fate: { state: 'failed', failure: 'The webhook was disabled.' },
  posts:
    given.delivery.phase === 'interactive' && isAwaited(given) ? [toConversation(given, unavailable)] : [],
})

export const withdrawn: Judgement = { fate: { state: 'withdrawn', failure: null }, posts: [] }
