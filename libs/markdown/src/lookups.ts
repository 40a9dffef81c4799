import { CHANNEL_LINK, splitTopic } from './channel-links.ts'
import { EMOJI_NAME } from './emoji.ts'
import { GROUP_MENTION, splitMention, USER_MENTION, wildcardNamed } from './mentions.ts'

/** What a text may refer to by name or id; the caller fetches it before it renders. */
export interface Lookups {
  userNames: readonly string[]
  userIds: readonly number[]
  groupNames: readonly string[]
  channelNames: readonly string[]
  /** Topics that are linked without a message: their newest message is part of the link. */
  topics: readonly { channel: string; topic: string }[]
  emojiNames: readonly string[]
  /** `path_id`s of uploaded files that the text may show. */
  uploads: readonly string[]
}

const NOTHING: Lookups = Object.freeze({
  userNames: [],
  userIds: [],
  groupNames: [],
  channelNames: [],
  topics: [],
  emojiNames: [],
  uploads: [],
})

const MAY_REFER = /@_?\*|#\*\*|:[\w+-]+:|\/user_uploads\//
const UPLOAD = /\/user_uploads\/(\d+\/[^\s)>"'\]?#]+)/g

/**
 * Finds what a text may refer to, without parsing it: it can name more than the message will use (what stands in
 * code, for instance), never less. A text without such syntax costs one search.
 */
export function collectLookups(content: string): Lookups {
  if (!MAY_REFER.test(content)) return NOTHING
  const userNames = new Set<string>()
  const userIds = new Set<number>()
  for (const match of all(USER_MENTION, content)) {
    const text = match[2]!
    if (wildcardNamed(text) !== undefined) continue
    userNames.add(text)
    const { name, id } = splitMention(text)
    if (id !== undefined) userIds.add(id)
    if (id !== undefined && name !== '') userNames.add(name)
  }
  const channelNames = new Set<string>()
  const topics: { channel: string; topic: string }[] = []
  for (const match of all(CHANNEL_LINK, content)) {
    channelNames.add(match[1]!)
    if (match[2] === undefined) continue
    const { topic, messageId } = splitTopic(match[2])
    if (messageId === undefined) topics.push({ channel: match[1]!, topic })
  }
  return {
    userNames: [...userNames],
    userIds: [...userIds],
    groupNames: unique(all(GROUP_MENTION, content).map((match) => match[2]!)),
    channelNames: [...channelNames],
    topics,
    emojiNames: emojiNames(content),
    uploads: unique(Array.from(content.matchAll(UPLOAD), (match) => decodePath(match[1]!))),
  }
}

function all(pattern: RegExp, content: string): RegExpExecArray[] {
  return Array.from(content.matchAll(new RegExp(pattern.source, 'g')))
}

/** Names may share a colon (`:a:b:`), so each colon is tried. */
function emojiNames(content: string): string[] {
  const names = new Set<string>()
  for (let colon = content.indexOf(':'); colon >= 0; colon = content.indexOf(':', colon + 1)) {
    EMOJI_NAME.lastIndex = colon
    const match = EMOJI_NAME.exec(content)
    if (match !== null) names.add(match[1]!)
  }
  return [...names]
}

function unique(names: string[]): string[] {
  return [...new Set(names)]
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
