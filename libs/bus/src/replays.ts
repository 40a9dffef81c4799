import type { DeadLetter } from './dead-letters.ts'
import type { OutgoingRecord } from './ordered-producer.ts'
import type { ReceivedRecord } from './received-record.ts'

/**
 * Dead letters that are to be handled again, each by the one consumer that had set it aside: every consumer into a
 * database follows this topic besides its own. (Back in its own topic a record would reach all the others again, and
 * in a compacted topic an old state would replace the latest one.)
 */
export const replaysTopic = 'dead-letter-replays'

/** The source of replayed records: their sequence numbers are the letters' offsets, so none has its effect twice. */
const source = 'dead-letters'

export const replayRecord = (letter: DeadLetter, letterOffset: number): OutgoingRecord => ({
  key: letter.consumer,
  value: JSON.stringify(letter),
  headers: { source, seq: String(letterOffset) },
})

/** The record that was set aside; none when another consumer did. Throws on what is not a replay. */
export const readReplay = (record: ReceivedRecord, consumer: string): ReceivedRecord[] => {
  if (record.key !== consumer || record.value === null) return []
  const { topic, partition, offset, key, value, headers } = JSON.parse(record.value) as DeadLetter
  const { source, seq, traceparent } = headers
  return [
    {
      topic,
      partition,
      offset,
      key,
      value,
      headers,
      source,
      seq: seq === undefined ? undefined : Number(seq),
      traceparent,
    },
  ]
}
