import { aheadSource, nothingAhead, notInLog } from '../queues/event-ids.ts'
import { aheadText } from './answer.ts'
import type { StoredEvent } from './stored-event.ts'
import type { WaitingPoll } from './waiting-poll.ts'

/** What is on its way to the log, as the owner of its shard tells the polls of its process. */
export interface Ahead {
  /** Everything before it has been applied; the record will stand here or behind. */
  readonly position: number
  readonly queues: readonly number[]
  /** As it is stored. */
  readonly text: string
}

/**
 * The answer for a poll that has everything before `position`. Undefined when it has to wait for the log: while the log has
 * not got one event its client is told no other, and an ID stands for one event only.
 */
export const toldAhead = (poll: WaitingPoll, position: number, event: StoredEvent): string | undefined => {
  const { id, state, reader, ahead } = poll
  // Before the first record after the queue's opening there are no IDs.
  if (state !== 'parked' || reader === undefined || ahead === notInLog || position <= id.queue + 1)
    return undefined
  const forms = event.write(reader)
  return forms.length === 1 ? aheadText(id.queue, position, forms[0]!) : undefined
}

/** What a poll's client does not have yet of records that are unread in its queue; notes where the one stands that it has. */
export const withoutKnown = (poll: WaitingPoll, events: readonly StoredEvent[]): readonly StoredEvent[] => {
  if (poll.ahead === nothingAhead) return events
  if (poll.ahead === notInLog) {
    const known = events.find(({ head }) => head.source === aheadSource)
    if (known !== undefined) poll.ahead = known.offset
  }
  return events.filter(({ offset }) => offset !== poll.ahead)
}
