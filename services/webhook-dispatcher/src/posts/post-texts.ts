/** What people are told; no I/O. */
import type { MessageRecord } from '@parley/contracts/objects/message'
import { topicUrl } from '@parley/markdown'

/** Characters of a receiver's answer that its owner is shown in a message. */
const shownAnswer = 500

/** What the people of the conversation read when the bot cannot answer. */
export const failureText = (complaint: string): string => `Failure! ${complaint}`

const messageUrl = (realmUrl: string, message: MessageRecord): string => {
  const { id, stream_id, subject, display_recipient } = message
  if (typeof display_recipient === 'string') {
    return `${realmUrl}${topicUrl({ id: stream_id!, name: display_recipient }, subject, { near: id })}`
  }
  const ids = display_recipient.map((user) => user.id).join(',')
  return `${realmUrl}/#narrow/dm/${ids}-${display_recipient.length > 2 ? 'group' : 'dm'}/near/${id}`
}

/** A block of code that shows a text as it is, whatever is in it. */
const verbatim = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

export interface WhatHappened {
  readonly bot: { readonly bot_id: number; readonly full_name: string }
  readonly realmUrl: string
  readonly message: MessageRecord
  /** Sentences. */
  readonly findings: readonly string[]
  /** The receiver's answer, when there was one. */
  readonly answer?: string | undefined
}

const botMention = ({ bot_id, full_name }: WhatHappened['bot']): string => `@_**${full_name}|${bot_id}**`

/** What the bot's owner is told of a call that failed. */
export const ownerText = ({ bot, realmUrl, message, findings, answer }: WhatHappened): string =>
  [
    `[A message](${messageUrl(realmUrl, message)}) to your bot ${botMention(bot)} triggered an outgoing webhook.`,
    ...findings,
    ...(answer === undefined || answer.trim() === ''
      ? []
      : [
          'The response contains the following payload:',
          verbatim([...answer].slice(0, shownAnswer).join('')),
        ]),
  ].join('\n')

/** What the bot's owner is told when nobody calls the bot any more. */
export const disabledText = (bot: WhatHappened['bot'], reason: 'gone' | 'failing'): string =>
  `The outgoing webhook of your bot ${botMention(bot)} was disabled: ${
    reason === 'gone' ? 'its server answered that it is gone (410)' : 'for days, every call of it has failed'
  }. It is not called until it is enabled again, or has another URL.`
