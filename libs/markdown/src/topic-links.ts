import type { Linkifier } from './context.ts'
import { linkified } from './linkifiers.ts'
import { safeLink } from './urls.ts'

const URL_IN_TOPIC = /https?:\/\/[^\s<>"]+[^\s<>".,:;!?)'\]]/gi
/** Links of a topic stand outside any organization's page, so none is made relative. */
const NO_REALM = { realm: { url: '\u0000' } }

/** The links that a topic contains, in order: what linkifiers match, and URLs. `topic_links` of a message. */
export function renderTopicLinks(
  topic: string,
  linkifiers: readonly Linkifier[],
): { text: string; url: string }[] {
  const found = linkifiers.flatMap((linkifier) => linkified(topic, linkifier, NO_REALM))
  for (const match of topic.matchAll(URL_IN_TOPIC)) {
    const url = safeLink(match[0], NO_REALM)
    if (url !== undefined)
      found.push({ start: match.index, end: match.index + match[0].length, text: match[0], url })
  }
  const accepted: typeof found = []
  for (const link of found) {
    if (accepted.every((other) => link.end <= other.start || link.start >= other.end)) accepted.push(link)
  }
  return accepted.sort((a, b) => a.start - b.start).map(({ text, url }) => ({ text, url }))
}
