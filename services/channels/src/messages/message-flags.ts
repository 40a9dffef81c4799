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
  readonly sender_id: number
  readonly read_by_sender: boolean
  /** Flags that all recipients have. */
  readonly shared_flags: number
  /** Those of the reader's own row, if there is one. */
  readonly own_flags: number | null
  readonly was_recipient: boolean
}

/**
 * Whoever reads a message that was not sent to them (a public channel's history) has nothing unread there: such a message
 * is read and `historical`.
 */
export const flagsFor = (message: FlagSources, readerId: number): string[] => {
  const own = message.own_flags ?? 0
  if (!message.was_recipient) return flagNames(own | flagBits.read | flagBits.historical)
  const read = message.sender_id === readerId && message.read_by_sender ? flagBits.read : 0
  return flagNames(own | message.shared_flags | read)
}
