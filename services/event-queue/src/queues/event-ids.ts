/**
 * Event IDs are computed, never counted: from the offsets of the event's record and of the record that opened the
 * queue. So a replay of the log (after Redis lost its last second) gives every event the ID it had.
 *
 * Each record owns a span of 1024 IDs. Its events take the last ones up to `lastEventPlace`, so that the ID of a
 * record's last event does not depend on how many events one client's shape makes of it. The places above are for
 * heartbeats: one sent when everything up to a record is known to be read has an ID after all events of that record
 * and before those of the next.
 */

const span = 1024
/** Place of the last event that a record becomes; the most events per record is this plus one. */
export const lastEventPlace = 999

/** `last_event_id` of a queue from which nothing was read. */
export const nothingRead = -1

/** IDs of the `count` events that one record becomes for one client, ascending from the returned one. */
export const firstEventId = (queue: number, offset: number, count: number): number =>
  (offset - queue - 1) * span + lastEventPlace + 1 - count

/** The ID that acknowledges a record with all that it became. */
export const recordEndId = (queue: number, offset: number): number =>
  (offset - queue - 1) * span + lastEventPlace

/** Offset of the record whose span an ID is in. */
export const recordOf = (queue: number, eventId: number): number => queue + 1 + Math.floor(eventId / span)

/**
 * ID of a heartbeat on a queue in which nothing before the record at `position` is unread, for a client that
 * acknowledged `lastEventId`. Greater than `lastEventId` as long as the shard's log moves at least once in
 * `heartbeatsPerRecord` heartbeats (its owner sees to that); then it repeats.
 */
export const heartbeatId = (queue: number, position: number, lastEventId: number): number => {
  const firstFree = recordEndId(queue, position - 1) + 1
  const endOfSpan = (position - queue - 1) * span - 1
  return Math.max(lastEventId, Math.min(endOfSpan, Math.max(firstFree, lastEventId + 1)))
}

/** Heartbeats that fit between two records. */
export const heartbeatsPerRecord = span - 1 - lastEventPlace
