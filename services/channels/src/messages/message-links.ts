/** Where a message is found by people: its address, and the Markdown that shows it (level 508). */
import { emptyTopicDisplayName } from '@parley/contracts/objects/message'
import { encodeFragment, topicUrl } from '@parley/markdown'

/** Characters that would end, or begin, something in the text of a Markdown link. */
const escapes: Record<string, string> = {
  '`': '&#96;',
  '>': '&gt;',
  '*': '&#42;',
  '&': '&amp;',
  '[': '&#91;',
  ']': '&#93;',
  $$: '&#36;&#36;',
}

const linkText = (text: string): string => text.replace(/\$\$|[`>*&[\]]/g, (character) => escapes[character]!)

interface MessageLinks {
  readonly message_url: string
  readonly message_link: string
}

export const channelMessageLinks = (
  realmUrl: string,
  channel: { id: number; name: string },
  topic: string,
  messageId: number,
): MessageLinks => {
  const message_url = `${realmUrl}${topicUrl(channel, topic, { near: messageId })}`
  const shownTopic = topic === '' ? `*${emptyTopicDisplayName}*` : linkText(topic)
  return {
    message_url,
    message_link: `[#${linkText(channel.name)} > ${shownTopic} @ 💬](${message_url})`,
  }
}

/** For whoever may not know the channel's name. */
export const unnamedChannelLinks = (
  realmUrl: string,
  channelId: number,
  topic: string,
  messageId: number,
): MessageLinks => {
  const message_url = `${realmUrl}/#narrow/channel/${channelId}/topic/${encodeFragment(topic)}/near/${messageId}`
  return { message_url, message_link: message_url }
}

/** A conversation has no name to show: its link is its address. `participants` in the order of IDs, the sender among them. */
export const directMessageLinks = (
  realmUrl: string,
  participants: readonly { id: number }[],
  messageId: number,
): MessageLinks => {
  const ids = participants.map((user) => user.id).join(',')
  const slug = participants.length > 2 ? `${ids}-group` : `${ids}-dm`
  const message_url = `${realmUrl}/#narrow/dm/${slug}/near/${messageId}`
  return { message_url, message_link: message_url }
}
