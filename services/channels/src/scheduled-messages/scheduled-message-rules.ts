/** How a scheduled message may be changed; no I/O. */

interface Change {
  readonly type?: string | undefined
  readonly to?: unknown
  readonly content?: string | undefined
  readonly topic?: string | undefined
  readonly scheduled_delivery_timestamp?: number | undefined
}

/** What is missing from a change, as a sentence; undefined when nothing is. */
export const changeFinding = (change: Change): string | undefined => {
  const { type, to, content, topic, scheduled_delivery_timestamp } = change
  if ([type, to, content, topic, scheduled_delivery_timestamp].every((value) => value === undefined)) {
    return 'Nothing to change'
  }
  if (type === undefined) return undefined
  if (to === undefined) return 'Recipient required when updating type of scheduled message.'
  if ((type === 'stream' || type === 'channel') && topic === undefined) {
    return 'Topic required when updating scheduled message type to stream.'
  }
  return undefined
}
