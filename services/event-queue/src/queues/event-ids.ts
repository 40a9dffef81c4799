/**
 * Event IDs are computed, never counted: from the offsets of the event's record and of the record that opened the
 * queue. So a replay of the log (after Redis lost its last second) gives every event the ID it had.
 *
 * Each record owns a span of 1024 IDs. Its events take the last ones up to `lastEventPlace`, so that the ID of a
 * record's last event does not depend on how many events one client's shape makes of it. The places above are for
 * heartbeats: one sent when everything up to a record is known to be read has an ID after all events of that record
 * and before those of the next.
 *
 * The last places of a span are for clients that were told an event of `aheadSource` before the log had its record, and
 * so before it had an ID of its own. Such an ID acknowledges everything up to its record and, of what follows, the next
 * event of that source: which one that is the log tells everybody, because notices name only what comes next.
 */

const span = 1024
/** Place of the last event that a record becomes; the most events per record is this plus one. */
export const lastEventPlace = 999
/** The first of the places from which on an ID acknowledges an event that was told ahead. */
const aheadPlace = span - 8

/** The service whose events are told ahead of the log. */
export const aheadSource = 'channels'
/** Where a record stands that was told ahead, until the log has it: behind all that is known. */
export const notInLog = Number.POSITIVE_INFINITY
/** What is said of that place when no event was told ahead. */
export const nothingAhead = -1

/** `last_event_id` of a queue from which nothing was read. */
export const nothingRead = -1

/** IDs of the `count` events that one record becomes for one client, ascending from the returned one. */
export const firstEventId = (queue: number, offset: number, count: number): number =>
  (offset - queue - 1) * span + lastEventPlace + 1 - count

/**
 * The ID that acknowledges a record with all that it became; and, where an event was told ahead whose record stands at
 * `ahead`, behind this one, that event too.
 */
export const recordEndId = (queue: number, offset: number, ahead: number = nothingAhead): number =>
  (offset - queue - 1) * span + (offset < ahead ? aheadPlace : lastEventPlace)

/** Where the record stands of which a client that acknowledges this ID was told ahead. */
export const aheadOf = (eventId: number): number =>
  eventId >= 0 && eventId % span >= aheadPlace ? notInLog : nothingAhead

/** Offset of the record whose span an ID is in. */
export const recordOf = (queue: number, eventId: number): number => queue + 1 + Math.floor(eventId / span)

/**
 * ID of a heartbeat on a queue in which nothing before the record at `position` is unread, for a client that
 * acknowledged `lastEventId` and was told an event ahead whose record stands at `ahead`. Greater than `lastEventId` as
 * long as the shard's log moves at least once in `heartbeatsPerRecord` heartbeats (its owner sees to that); then it
 * repeats, and so it does after fewer while the log does not get what was told ahead.
 */
export const heartbeatId = (
  queue: number,
  position: number,
  lastEventId: number,
  ahead: number = nothingAhead,
): number => {
  const firstFree = recordEndId(queue, position - 1, ahead) + 1
  const endOfSpan = (position - queue - 1) * span - 1
  const lastFree = position <= ahead ? endOfSpan : endOfSpan - (span - aheadPlace)
  return Math.max(lastEventId, Math.min(lastFree, Math.max(firstFree, lastEventId + 1)))
}

/** Heartbeats that fit between two records. */
export const heartbeatsPerRecord = aheadPlace - 1 - lastEventPlace
