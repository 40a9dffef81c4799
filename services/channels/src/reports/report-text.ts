/** What the moderators read of a reported message; no I/O. */
import { limits } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import { reportTypes } from '@parley/contracts/objects/report-type'
import { channelMessageLinks, directMessageLinks } from '../messages/message-links.ts'
import type { StoredMessage } from '../messages/message-store.ts'
import { truncated } from '../messages/text-length.ts'

export interface Report {
  readonly reporterId: number
  /** Everybody concerned, by ID. */
  readonly people: ReadonlyMap<number, UserFact>
  readonly message: Pick<
    StoredMessage,
    'id' | 'sender_id' | 'channel_id' | 'channel_name' | 'topic' | 'user_ids' | 'content' | 'sent_at'
  >
  readonly realmUrl: string
  readonly type: (typeof reportTypes)[number]['key']
  readonly description: string
}

/** Left for what the report says itself. */
const ownWords = 1500

/** A fence that a text does not have. */
const fenceAround = (text: string): string => {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  return '`'.repeat(longest + 1)
}

export const reportText = (report: Report): string => {
  const { people, message, description } = report
  const named = (id: number): string => {
    const user = people.get(id)
    return user === undefined ? 'somebody' : `@_**${user.full_name}|${id}**`
  }
  const time = new Date(message.sent_at * 1000).toISOString()
  const others = (message.user_ids ?? []).filter((id) => id !== message.sender_id)
  const readers = message.user_ids === null ? '' : ` to ${others.map(named).join(', ') || 'themselves'}`
  const reason = reportTypes.find((one) => one.key === report.type)!.name
  const quote = fenceAround(description)
  const room = limits.maxMessageLength - limits.maxReportDescriptionLength - ownWords
  const content = truncated(message.content, room)
  const fence = fenceAround(content)
  return [
    `${named(report.reporterId)} reported a message that ${named(message.sender_id)} sent${readers} at <time:${time}>.`,
    `${quote}quote\n**${reason}**${description === '' ? '' : `\n${description}`}\n${quote}`,
    `${fence}spoiler ${linkTo(report)}\n${content}\n${fence}`,
  ].join('\n\n')
}

const linkTo = ({ people, message, realmUrl }: Report): string => {
  const { id, channel_id, channel_name, topic, user_ids } = message
  if (channel_id !== null) {
    return channelMessageLinks(realmUrl, { id: channel_id, name: channel_name! }, topic, id).message_link
  }
  const participants = user_ids!.flatMap((userId) => people.get(userId) ?? [])
  return `[a direct message](${directMessageLinks(realmUrl, participants, id).message_url})`
}
