import type { ShardStore } from '../store/shard-store.ts'
import { answerLength } from './answer.ts'
import type { ShardView } from './shard-view.ts'
import type { StoredEvent } from './stored-event.ts'

/** Records that are read first, when nobody knows how long they are. */
const firstPortion = 50

/**
 * Reads the first of a queue's unread records, as many as an answer takes: a queue may hold 10,000 of 10,000 characters
 * each, and many clients come back at once.
 *
 * @returns undefined when one of them is gone.
 */
export const readUnread = async (
  view: ShardView,
  store: Pick<ShardStore, 'texts'>,
  offsets: readonly number[],
): Promise<StoredEvent[] | undefined> => {
  const events: StoredEvent[] = []
  let bytes = 0
  let count = firstPortion
  while (events.length < offsets.length && bytes <= answerLength) {
    const portion = await readAll(view, store, offsets.slice(events.length, events.length + count))
    if (portion === undefined) return undefined
    events.push(...portion)
    for (const event of portion) bytes += event.bytes
    // What seems to fit, and a few, so as not to come back for single ones.
    count = Math.max(0, Math.floor((answerLength / bytes - 1) * events.length)) + 8
  }
  return events
}

/** From memory or from Redis. */
const readAll = async (
  view: ShardView,
  store: Pick<ShardStore, 'texts'>,
  offsets: readonly number[],
): Promise<StoredEvent[] | undefined> => {
  const events = offsets.map((offset) => view.event(offset))
  const unknown = offsets.filter((_, index) => events[index] === undefined)
  if (unknown.length === 0) return events as StoredEvent[]
  const texts = await store.texts(view.shard, unknown)
  if (texts.includes(undefined)) return undefined
  const fetched = new Map(unknown.map((offset, index) => [offset, view.remember(offset, texts[index]!)]))
  return offsets.map((offset, index) => events[index] ?? fetched.get(offset)!)
}
