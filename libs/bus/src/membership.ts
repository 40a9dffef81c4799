import { setTimeout as pause } from 'node:timers/promises'
import type { Consumer, EachBatchPayload } from 'kafkajs'
import { type Assignment, assignmentOf, move, type Slot } from './assignment.ts'
import type { Bus, PartitionRange } from './bus.ts'
import { consumerSettings } from './consumer-settings.ts'
import { type ReceivedRecord, receivedRecord } from './received-record.ts'
import { isEngineAway } from './waiting-for-engines.ts'

/** Records of one partition that were fetched together, in order, each at or after the position. */
export interface FetchedBatch {
  readonly topic: string
  readonly partition: number
  readonly records: readonly ReceivedRecord[]
  /** The offset after the last of them. */
  readonly nextOffset: number
  /** False once the partition was taken away or sought: the rest must be left to whoever has it then. */
  isOurs(): boolean
  /** Says that what lies before this offset is done, also if the rest of the batch fails. */
  advance(nextOffset: number): void
  /** Says that something was attempted, in vain: the consumer is not stuck. */
  attempted(): void
}

/** Thrown by a handler whose store says that somebody else has moved the position: it is read again from there. */
export class PositionMovedError extends Error {
  constructor(topic: string, partition: number) {
    super(`the position of ${topic}/${partition} has been moved by another process`)
    this.name = 'PositionMovedError'
  }
}

/** What a consumer is made of. */
export interface MemberOptions {
  readonly bus: Bus
  /** The Kafka group. */
  readonly group: string
  /** The consumer's name in logs and metrics. */
  readonly label: string
  readonly topics: readonly string[]
  /** Milliseconds that an idle consumer lets a fetch wait in the broker, at most (quiet-client.ts). */
  readonly maxWait: number
  /**
   * Milliseconds from one fetch that brought something to the next, at least. What arrives meanwhile comes together:
   * a record after a silence waits for nothing, and a stream costs a fixed number of fetches.
   */
  readonly linger?: number
  /** Whether Kafka is told now and then how far the group has come, for a store that may be lost. */
  readonly tellsKafka: boolean
  /**
   * Where to begin with a partition that was assigned; undefined: where the group stands by Kafka's account, if that is
   * told, else at the beginning. Asked again until it answers.
   */
  readonly positionOf: (slot: Slot, range: PartitionRange) => Promise<number | undefined>
  /** Handles a batch. Throwing has what is not done of it handed over again, after a pause. */
  readonly handle: (batch: FetchedBatch) => Promise<void>
  /** What is ours now; empty while the group is being formed anew. */
  readonly onAssignment?: (slots: readonly Slot[]) => void
  /** Kafka answered a fetch. */
  readonly onFetch?: () => void
}

/** One life as a member of a group, with one client; see group-member.ts for what outlives it. */
export interface Membership {
  readonly slots: readonly Slot[]
  /** When it last joined the group; undefined before, and while it has lost its place. */
  readonly joinedAt: number | undefined
  seek(topic: string, partition: number, offset: number): void
  /** Ends after the batch in hand. */
  leave(): Promise<void>
  /** Ends at once; a batch in hand is not waited for, and has no say any more. */
  abandon(): void
}

const beatInterval = 1000
const commitInterval = 5000
const [firstPause, longestPause] = [50, 2000]

/** Joins the group. `onEnd` is called when the client gives up. */
export const joinGroup = async (
  options: MemberOptions,
  onEnd: (reason: unknown) => void,
): Promise<Membership> => {
  const { bus, group, label, topics, maxWait, linger = 0 } = options
  const consumer = bus.kafka.consumer(consumerSettings(group, maxWait))
  let assignment: Assignment = assignmentOf({})
  let joinedAt: number | undefined

  const take = (next: Assignment): void => {
    assignment.isOver = true
    assignment = next
    options.onAssignment?.(next.slots)
  }
  const lose = (): void => {
    joinedAt = undefined
    take(assignmentOf({}))
  }

  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joinedAt = performance.now()
    const assigned = assignmentOf(payload.memberAssignment)
    // Before the first fetch: nothing is read until it is known from where.
    hold(consumer, assigned.slots)
    take(assigned)
    const ranges = sharedRanges(bus)
    for (const slot of assigned.slots) void place(options, consumer, assigned, slot, ranges)
  })
  consumer.on(consumer.events.REBALANCING, lose)
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    lose()
    onEnd(payload.error)
  })
  let mustLinger = false
  if (linger > 0) {
    consumer.on(consumer.events.FETCH, () => {
      mustLinger = true
    })
  }
  if (options.onFetch !== undefined) consumer.on(consumer.events.FETCH, options.onFetch)

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const { batch, resolveOffset, isRunning, isStale, commitOffsetsIfNecessary } = payload
    const current = assignment
    const slot = current.find(batch.topic, batch.partition)
    if (slot === undefined || !isRunning() || isStale()) return
    const pulse = keepAlive(payload)
    slot.isInHand = true
    const isOurs = (): boolean => !current.isOver && !pulse.isLost() && isRunning() && !isStale()
    try {
      const isDone = await handleAll(options, slot, payload, isOurs)
      if (isDone && isOurs()) {
        resolveOffset(batch.lastOffset())
        if (options.tellsKafka) await commitOffsetsIfNecessary()
        // The next fetch waits for this batch, as the other batches of this one do.
        if (mustLinger) {
          mustLinger = false
          await pause(linger)
        }
      }
    } catch (error) {
      if (!(error instanceof PositionMovedError)) throw error
      bus.log.warn({ consumer: label, topic: slot.topic, partition: slot.partition }, error.message)
      if (current.isOver) return
      hold(consumer, [slot])
      void place(options, consumer, current, slot, bus.ranges)
    } finally {
      pulse.stop()
      slot.isInHand = false
    }
  }

  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [...topics], fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      autoCommitInterval: commitInterval,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 1,
      eachBatch,
    })
  } catch (error) {
    void consumer.disconnect().catch(() => {})
    throw error
  }
  return {
    get slots() {
      return assignment.slots
    },
    get joinedAt() {
      return joinedAt
    },
    seek(topic, partition, offset) {
      const slot = assignment.find(topic, partition)
      if (slot === undefined) return
      move(slot, offset)
      consumer.seek({ topic, partition, offset: String(offset) })
    },
    async leave() {
      await consumer.disconnect()
      lose()
    },
    abandon() {
      lose()
      void consumer.disconnect().catch(() => {})
    },
  }
}

const hold = (consumer: Consumer, slots: readonly Slot[]): void =>
  consumer.pause(slots.map(({ topic, partition }) => ({ topic, partitions: [partition] })))

/** Partitions of one topic that are assigned together share the question. */
const sharedRanges = (bus: Bus): Bus['ranges'] => {
  const asked = new Map<string, Promise<PartitionRange[]>>()
  return (topic) => {
    const known = asked.get(topic)
    if (known !== undefined) return known
    const answer = bus.ranges(topic)
    asked.set(topic, answer)
    answer.catch(() => asked.delete(topic))
    return answer
  }
}

/** Looks up where a partition's consumer stands, and lets it go on from there. */
const place = async (
  options: MemberOptions,
  consumer: Consumer,
  assignment: Assignment,
  slot: Slot,
  ranges: Bus['ranges'],
): Promise<void> => {
  const { bus, label } = options
  const { topic, partition } = slot
  for (let wait = firstPause; !assignment.isOver; wait = Math.min(wait * 2, longestPause)) {
    try {
      const range = (await ranges(topic)).find((known) => known.partition === partition)
      if (range === undefined) throw new Error(`${topic} has no partition ${partition}`)
      const position = await startOf(options, slot, range)
      if (assignment.isOver) return
      slot.isWaiting = false
      move(slot, position)
      consumer.seek({ topic, partition, offset: String(position) })
      consumer.resume([{ topic, partitions: [partition] }])
      return
    } catch (error) {
      if (assignment.isOver) return
      slot.isWaiting = isEngineAway(error)
      bus.log.warn({ err: error, consumer: label, topic, partition }, 'a position could not be looked up')
    }
    await pause(wait)
  }
}

const startOf = async (
  { bus, group, label, positionOf, tellsKafka }: MemberOptions,
  slot: Slot,
  range: PartitionRange,
): Promise<number> => {
  const { topic, partition } = slot
  const stored = await positionOf(slot, range)
  const position = stored ?? (tellsKafka ? await bus.committed(group, topic, partition) : undefined)
  if (position === undefined) return range.start
  if (position >= range.start && position <= range.end) return position
  // The topic was made anew, or kept for less long than this consumer was away.
  bus.log.error({ consumer: label, position, ...range, topic }, 'the log does not have the position')
  return range.start
}

/** Hands a batch over until it is done; false when it is not ours any more. */
const handleAll = async (
  { bus, label, handle }: MemberOptions,
  slot: Slot,
  { batch }: EachBatchPayload,
  isOurs: () => boolean,
): Promise<boolean> => {
  const { topic, partition } = slot
  const nextOffset = Number(batch.lastOffset()) + 1
  const all = batch.messages.map((message) => receivedRecord(topic, partition, message))
  const advance = (position: number): void => {
    if (isOurs() && position > (slot.position ?? -1)) move(slot, position)
  }
  const attempted = (): void => {
    slot.activeAt = performance.now()
  }
  for (let wait = firstPause; isOurs(); wait = Math.min(wait * 2, longestPause)) {
    const records = all.filter(({ offset }) => offset >= (slot.position ?? 0))
    try {
      if (records.length > 0)
        await handle({ topic, partition, records, nextOffset, isOurs, advance, attempted })
      slot.isWaiting = false
      advance(nextOffset)
      return true
    } catch (error) {
      if (error instanceof PositionMovedError) throw error
      attempted()
      slot.isWaiting = isEngineAway(error)
      bus.log.warn({ err: error, consumer: label, topic, partition }, 'a batch is handed over again')
    }
    await pause(wait)
  }
  return false
}

/** What Kafka answers to the heartbeat of a member that has to join again. */
const mustRejoin = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])

/** kafkajs sends heartbeats between batches only: a long one would lose the process its partitions. */
const keepAlive = ({ heartbeat }: EachBatchPayload) => {
  let isLost = false
  const timer = setInterval(() => {
    heartbeat().catch((error: { type?: string }) => {
      if (mustRejoin.has(error.type ?? '')) isLost = true
    })
  }, beatInterval)
  return { isLost: () => isLost, stop: () => clearInterval(timer) }
}
