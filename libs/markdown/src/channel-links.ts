import type { StateInline } from 'markdown-it'
import type { LinkedChannel } from './context.ts'
import type { RenderEnvironment } from './environment.ts'
import type { ChatInlineState } from './inline-state.ts'
import { channelUrl, topicUrl } from './narrow-urls.ts'
import { element, type Node } from './nodes.ts'

/** `#**channel**`, `#**channel>topic**`, `#**channel>topic@7**`. Names contain no `*`, channels no `>` here. */
export const CHANNEL_LINK = /#\*\*([^*>\n]{1,200})(?:>([^*\n]{0,200}))?\*\*/y
const AT_MESSAGE = /^(.*)@(\d{1,15})$/s
const EMPTY_TOPIC = 'general chat'

/** Links to channels, topics and messages. A channel that the sender doesn't know is text. */
export function channelLinkRule(inline: StateInline): boolean {
  const state = inline as ChatInlineState
  if (state.src.charCodeAt(state.pos) !== 0x23 || state.linkLevel > 0) return false
  CHANNEL_LINK.lastIndex = state.pos
  const match = CHANNEL_LINK.exec(state.src)
  if (match === null || state.pos + match[0].length > state.posMax) return false
  const { environment } = state
  const channel = environment.context.channels.byName(match[1]!)
  if (channel === undefined) return false
  state.pushNode(match[2] === undefined ? channelLink(channel) : topicLink(channel, match[2], environment))
  state.pos += match[0].length
  return true
}

/** The parts of a link's text after `>`: a topic, and a message in it. */
export function splitTopic(text: string): { topic: string; messageId: number | undefined } {
  const match = AT_MESSAGE.exec(text)
  return match === null
    ? { topic: text, messageId: undefined }
    : { topic: match[1]!, messageId: Number(match[2]) }
}

function channelLink(channel: LinkedChannel): Node {
  const attributes = { class: 'stream', 'data-stream-id': String(channel.id), href: channelUrl(channel) }
  return element('a', attributes, [`#${channel.name}`])
}

function topicLink(channel: LinkedChannel, text: string, { context }: RenderEnvironment): Node {
  const { topic, messageId } = splitTopic(text)
  const label: Node[] =
    topic === ''
      ? [`#${channel.name} > `, element('em', null, [context.realm.empty_topic_display_name ?? EMPTY_TOPIC])]
      : [`#${channel.name} > ${topic}`]
  if (messageId !== undefined) {
    label.push(' @ 💬')
    return element('a', { class: 'message-link', href: topicUrl(channel, topic, { near: messageId }) }, label)
  }
  const newest = context.topics?.newestMessage(channel.id, topic)
  const href = topicUrl(channel, topic, newest === undefined ? undefined : { with: newest })
  return element('a', { class: 'stream-topic', 'data-stream-id': String(channel.id), href }, label)
}
