/**
 * What a caller gives to the renderer and what it gets back. Everything the text may refer to (users, groups,
 * channels, emoji, files) is answered synchronously from what the caller fetched beforehand: see
 * `collectLookups` for the list of what to fetch.
 */

/** A user as a mention shows it. */
export interface MentionUser {
  id: number
  full_name: string
}

/** A group as a mention shows it. `mentionable`: the sender may mention it (not only silently). */
export interface MentionGroup {
  id: number
  name: string
  mentionable: boolean
}

/** A channel that the sender may link to. */
export interface LinkedChannel {
  id: number
  name: string
}

/** An active custom emoji of the organization. URLs are paths on its own host. */
export interface CustomEmoji {
  id: string
  source_url: string
  still_url: string | null
}

/** One match of a linkifier's pattern: where it begins (UTF-16 index), what it covers, its named groups. */
export interface LinkifierMatch {
  index: number
  text: string
  groups: Readonly<Record<string, string | undefined>>
}

/**
 * A compiled linkifier pattern. The renderer never runs a realm's regular expression itself, so that whoever
 * compiles it chooses an engine without catastrophic backtracking. Matches come in order and do not overlap;
 * word boundaries around a match are the renderer's business.
 */
export interface Matcher {
  matchAll(text: string): Iterable<LinkifierMatch>
}

/** A linkifier, in the order of precedence of the realm. `url_template` is an RFC 6570 template. */
export interface Linkifier {
  pattern: Matcher
  url_template: string
}

/** What is known of an uploaded file. Dimensions are those of the original in pixels. */
export interface UploadInfo {
  content_type: string
  width?: number
  height?: number
  /**
   * Absent: the image is shown from its own URL. `null`: a thumbnail is being made, a placeholder is shown
   * until the message is rendered again. `transcoded` names a format for clients that can't show the original.
   */
  thumbnail?: { url: string; animated?: boolean; transcoded?: string } | null
}

export interface RenderContext {
  /** `url` is the origin of the organization, e.g. `https://chat.example.com`; links to it become in-app links. */
  realm: { url: string; empty_topic_display_name?: string }
  users: { byName(fullName: string): readonly MentionUser[]; byId(id: number): MentionUser | undefined }
  groups: { byName(name: string): MentionGroup | undefined }
  channels: { byName(name: string): LinkedChannel | undefined }
  /** The newest message of a topic that the sender can see; without it topic links have no `with/<id>`. */
  topics?: { newestMessage(channelId: number, topic: string): number | undefined }
  emoji: { byName(name: string): CustomEmoji | undefined }
  linkifiers: readonly Linkifier[]
  uploads?: { info(pathId: string): UploadInfo | undefined }
  /** The sender's setting: `:)` and its kind become emoji. */
  translateEmoticons: boolean
  /** The realm's setting `default_code_block_language`: the language of fenced code that names none. */
  defaultCodeLanguage?: string
  /** The realm's setting `inline_image_preview`; default true. */
  inlineImagePreview?: boolean
}

export type Wildcard = 'channel' | 'topic'

export interface Rendered {
  /** HTML from the allow-list of README.md. */
  html: string
  /** Who is mentioned and so notified; silent mentions are not counted. */
  mentions: {
    users: number[]
    groups: number[]
    /** The widest wildcard used: a channel wildcard includes the topic's. */
    wildcard: Wildcard | null
    /** Every wildcard used, since each has a flag of its own. */
    wildcards: Wildcard[]
    /** Groups that the text mentions aloud although the sender may not; they are rendered silently. */
    forbiddenGroups: number[]
  }
  /** Targets of links that the text contains, in order, once each. */
  links: string[]
  /** `path_id`s of uploaded files that the text links to or shows, in order, once each. */
  uploads: string[]
  has_link: boolean
  has_image: boolean
  has_attachment: boolean
  is_me_message: boolean
  /** One paragraph of nothing but emoji: clients show them enlarged. */
  is_emoji_only: boolean
  /** The text without markup, one line per block; code and math appear as their source. */
  plainText(): string
  /** Which of the alert words occur as whole words, ignoring case; answers the words as they were given. */
  alertWordsIn(words: readonly string[] | AlertWords): string[]
}

/** Alert words prepared for many searches: see `compileAlertWords`. */
export interface AlertWords {
  in(text: string): string[]
}
