import { describe, expect, it } from 'vitest'
import {
  aheadOf,
  firstEventId,
  heartbeatId,
  heartbeatsPerRecord,
  lastEventPlace,
  nothingAhead,
  nothingRead,
  notInLog,
  recordEndId,
  recordOf,
} from './event-ids.ts'

const queue = 41

describe('event IDs', () => {
  it('ascend over records and within a record, and name their record', () => {
    let previous = nothingRead
    for (let offset = queue + 1; offset < queue + 6; offset += 1) {
      for (const count of [1, 2, lastEventPlace + 1]) {
        const first = firstEventId(queue, offset, count)
        expect(recordOf(queue, first)).toBe(offset)
        expect(recordOf(queue, first + count - 1)).toBe(offset)
        expect(first + count - 1).toBe(recordEndId(queue, offset))
        expect(first).toBeGreaterThan(previous)
      }
      previous = recordEndId(queue, offset)
    }
  })

  it('are after -1 from the first possible record on', () => {
    expect(firstEventId(queue, queue + 1, lastEventPlace + 1)).toBe(0)
  })
})

describe('heartbeat IDs', () => {
  it('come after every event before the position and before every event from it on', () => {
    for (let position = queue + 2; position < queue + 50; position += 1) {
      let last = recordEndId(queue, position - 1)
      for (let beat = 0; beat < heartbeatsPerRecord; beat += 1) {
        const id = heartbeatId(queue, position, last)
        expect(id).toBeGreaterThan(last)
        expect(id).toBeGreaterThan(recordEndId(queue, position - 1))
        expect(id).toBeLessThan(firstEventId(queue, position, lastEventPlace + 1))
        last = id
      }
    }
  })

  it('never acknowledge what follows, however many are sent while the log stands still', () => {
    let last = nothingRead
    for (let beat = 0; beat < 200; beat += 1) {
      last = heartbeatId(queue, queue + 3, last)
      expect(recordOf(queue, last)).toBe(queue + 2)
    }
  })

  it('never fall behind what the client acknowledged, even before the queue is replayed', () => {
    const acknowledged = recordEndId(queue, queue + 900)
    expect(heartbeatId(queue, queue + 3, acknowledged)).toBe(acknowledged)
  })
})

describe('IDs ahead of the log', () => {
  it('come after every event and heartbeat of the record before, and before every event from there on', () => {
    for (let offset = queue + 1; offset < queue + 20; offset += 1) {
      const id = recordEndId(queue, offset, notInLog)
      let beat = recordEndId(queue, offset)
      for (let beats = 0; beats < 40; beats += 1) beat = heartbeatId(queue, offset + 1, beat)
      expect(id).toBeGreaterThan(beat)
      expect(id).toBeLessThan(firstEventId(queue, offset + 1, lastEventPlace + 1))
      expect(recordOf(queue, id)).toBe(offset)
    }
  })

  it('are known by themselves, as are the heartbeats after them', () => {
    let id = recordEndId(queue, queue + 5, notInLog)
    for (let beats = 0; beats < 5; beats += 1) {
      expect(aheadOf(id)).toBe(notInLog)
      const next = heartbeatId(queue, queue + 6, id, notInLog)
      expect(next).toBeGreaterThan(id)
      id = next
    }
    let beat = recordEndId(queue, queue + 5)
    for (let beats = 0; beats < 40; beats += 1) {
      expect(aheadOf(beat)).toBe(nothingAhead)
      beat = heartbeatId(queue, queue + 6, beat)
    }
    expect(aheadOf(nothingRead)).toBe(nothingAhead)
  })

  it('end with the record that was told ahead', () => {
    const ahead = queue + 9
    expect(aheadOf(recordEndId(queue, ahead - 1, ahead))).toBe(notInLog)
    expect(recordEndId(queue, ahead, ahead)).toBe(recordEndId(queue, ahead))
    const before = heartbeatId(queue, ahead, recordEndId(queue, ahead - 1, ahead), ahead)
    expect(aheadOf(before)).toBe(notInLog)
    expect(aheadOf(heartbeatId(queue, ahead + 1, before, ahead))).toBe(nothingAhead)
  })
})
