import { firstEventId, notInLog, recordEndId } from '../queues/event-ids.ts'
import { withMergedFlags } from './merged-flags.ts'
import type { Reader, StoredEvent } from './stored-event.ts'

/**
 * Characters of events in one answer; a record's events are never divided. Most answers of this length travel on links
 * (libs/kit, link-frames.ts), and a client that does not read leaves no more than one of them in memory.
 */
export const answerLength = 768 * 1024

/** What a client has of a queue. */
export interface Known {
  /** The last ID that it acknowledged. */
  readonly acknowledged: number
  /** Where the record stands of which it was told ahead (`event-ids.ts`); that record is not among those to be written. */
  readonly ahead: number
}

/** The events that a reader gets of some records; empty when none of them is for this kind of client. */
export const eventsText = (
  queue: number,
  reader: Reader,
  { acknowledged, ahead }: Known,
  events: Iterable<StoredEvent>,
): string => {
  let text = ''
  for (const { offset, forms } of withMergedFlags(events, reader)) {
    let id = firstEventId(queue, offset, forms.length)
    for (const [index, form] of forms.entries()) {
      if (index === forms.length - 1) id = recordEndId(queue, offset, ahead)
      // The beginning of a record's events may have been acknowledged by itself.
      if (id > acknowledged) text += text === '' ? `{"id":${id},${form}` : `,{"id":${id},${form}`
      id += 1
    }
    if (text.length > answerLength) break
  }
  return text
}

/** An event that is told before the log has its record, to a client that has everything before `position`. */
export const aheadText = (queue: number, position: number, form: string): string =>
  `{"id":${recordEndId(queue, position - 1, notInLog)},${form}`

export const heartbeatText = (id: number): string => `{"type":"heartbeat","id":${id}}`

/** The whole body of a poll's answer. */
export const pollAnswer = (queueId: string, events: string): string =>
  `{"result":"success","msg":"","events":[${events}],"queue_id":"${queueId}"}`
