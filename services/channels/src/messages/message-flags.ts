/** A message's flags for one user, as bits (facts, section 6.1). */

export const flagBits = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  stream_wildcard_mentioned: 16,
  topic_wildcard_mentioned: 32,
  has_alert_word: 64,
  historical: 128,
} as const

const names = Object.entries(flagBits)
const anyWildcard = flagBits.stream_wildcard_mentioned | flagBits.topic_wildcard_mentioned

/** The names that clients see; `wildcard_mentioned` is the older name of either wildcard's flag. */
export const flagNames = (bits: number): string[] => {
  if (bits === 0) return []
  const present = names.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name)
  return (bits & anyWildcard) === 0 ? present : [...present, 'wildcard_mentioned']
}

/** What decides about the flags of a stored message for one reader. */
export interface FlagSources {
  readonly id: number
  readonly sender_id: number
  readonly read_by_sender: boolean
  /** Flags that all recipients have. */
  readonly shared_flags: number
  /** Those of the reader's own row, if there is one. */
  readonly own_flags: number | null
  readonly was_recipient: boolean
  /** It was moved to where the reader is; it was not sent to the reader. */
  readonly came_by_move: boolean
  /** The reader had muted its sender when it came, or has since. */
  readonly is_by_muted: boolean
  /** It is news for nobody but those who have it as unread. */
  readonly is_quiet: boolean
  /** The reader's mark in the conversation, if there is one. */
  readonly read_up_to: number | null
  /** What the reader said of this message alone. */
  readonly read_exception: boolean | null
}

/** Whether a reader has read a message that was sent to them. */
const isRead = (message: FlagSources, readerId: number): boolean =>
  message.read_exception ??
  (message.id <= (message.read_up_to ?? 0) ||
    (message.sender_id === readerId && message.read_by_sender) ||
    message.came_by_move ||
    message.is_by_muted ||
    message.is_quiet)

/**
 * Whoever reads a message that was not sent to them (a public channel's history) has nothing unread there: such a message
 * is read and `historical`.
 *
 * @returns bits, as `flagNames` names them.
 */
export const flagsFor = (message: FlagSources, readerId: number): number => {
  const own = message.own_flags ?? 0
  if (!message.was_recipient) return own | flagBits.read | flagBits.historical
  const read = isRead(message, readerId) ? flagBits.read : 0
  const historical = message.came_by_move ? flagBits.historical : 0
  return own | message.shared_flags | read | historical
}
