import { ClientCapabilities } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { nothingAhead } from '../queues/event-ids.ts'
import { eventsText } from './answer.ts'
import { StoredEvent, storedText } from './stored-event.ts'
import { variantOf } from './variant.ts'

const shape = {
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: false,
  capabilities: ClientCapabilities.parse({}),
}
const reader = { userId: 1, queueId: 'q', variant: variantOf(shape) }

const record = (
  offset: number,
  event: { type: string; op?: string } & Record<string, unknown>,
): StoredEvent => {
  const { type, op } = event
  const head = { type, source: 'channels', xid: 1, at: 0, ...(op === undefined ? {} : { op }) }
  return new StoredEvent(offset, storedText(head, JSON.stringify(event)))
}
const flags = (offset: number, messages: number[], more: Record<string, unknown> = {}) =>
  record(offset, {
    type: 'update_message_flags',
    op: 'add',
    operation: 'add',
    flag: 'read',
    messages,
    all: false,
    ...more,
  })
const told = (acknowledged: number, ...events: StoredEvent[]) =>
  JSON.parse(`[${eventsText(0, reader, { acknowledged, ahead: nothingAhead }, events)}]`)

describe('flag events of one answer', () => {
  it('that follow each other and set the same flag are one, with the ID of the last', () => {
    const apart = told(-1, flags(2, [5]))
    const last = told(-1, flags(4, [7]))
    expect(told(-1, flags(2, [5]), flags(3, [6, 5]), flags(4, [7]))).toEqual([
      { ...apart[0], id: last[0].id, messages: [5, 6, 7] },
    ])
  })
  it('keep what is said of each message', () => {
    const one = flags(2, [5], { op: 'remove', message_details: { 5: { type: 'stream' } } })
    const other = flags(3, [6], { op: 'remove', message_details: { 6: { type: 'private' } } })
    expect(told(-1, one, other)[0].message_details).toEqual({ 5: { type: 'stream' }, 6: { type: 'private' } })
  })
  it.each([
    ['another flag', { flag: 'starred' }],
    ['the other direction', { op: 'remove' }],
    ['all messages', { all: true, messages: [] }],
  ])('stay apart for %s', (_, more) => {
    expect(told(-1, flags(2, [5]), flags(3, [6], more))).toHaveLength(2)
  })
  it('stay apart, and in order, when something else happened in between', () => {
    const events = [flags(2, [5]), record(3, { type: 'alert_words', alert_words: [] }), flags(4, [6])]
    expect(told(-1, ...events).map(({ type }: { type: string }) => type)).toEqual([
      'update_message_flags',
      'alert_words',
      'update_message_flags',
    ])
  })
  it('merge nothing that was acknowledged', () => {
    const [first] = told(-1, flags(2, [5]))
    expect(told(first.id, flags(3, [6]))[0].messages).toEqual([6])
  })
})
