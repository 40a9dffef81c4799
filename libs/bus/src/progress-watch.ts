import { Gauge } from 'prom-client'
import type { Slot } from './assignment.ts'
import type { Bus } from './bus.ts'
import type { Membership } from './membership.ts'

const lagGauge = new Gauge({
  name: 'parley_consumer_lag_records',
  help: 'Records of the partitions of this process that the consumer has not handled.',
  labelNames: ['consumer', 'topic'],
})

/** Of a partition that Kafka does not tell of. */
const nothing = { start: 0, end: 0 }
/** Milliseconds between looks. */
const interval = 10_000
/** Milliseconds without any progress, although there is something to read, after which a consumer is stuck. */
const defaultStuckAfter = 30_000

/**
 * Measures a consumer's lag, and says when it is alive but stuck: Kafka never evicts such a one. A consumer that waits
 * for an engine is not stuck, and one that nothing is assigned to has nothing to do.
 *
 * @returns what ends the watch.
 */
export const watchProgress = (options: {
  bus: Bus
  label: string
  topics: readonly string[]
  membership: () => Membership | undefined
  stuckAfter?: number
  onStuck: () => void
}): (() => void) => {
  const { bus, label, topics, membership, stuckAfter = defaultStuckAfter, onStuck } = options
  const holes = new Set<string>()
  /** By partition, where the consumer stood when it was last known. */
  const lastKnown = new Map<string, number>()
  let isLooking = false
  let aloneSince: number | undefined

  const look = async (): Promise<void> => {
    const watched = membership()
    if (watched === undefined) return
    const slots = watched.slots
    if (watched.joinedAt === undefined) {
      aloneSince ??= performance.now()
      // Kafka answers, but the client does not get (back) into its group.
      if (performance.now() - aloneSince < stuckAfter) return
      await bus.ready()
      aloneSince = undefined
      return onStuck()
    }
    aloneSince = undefined
    const behind: { slot: Slot; end: number }[] = []
    for (const topic of topics) {
      const ranges = await bus.ranges(topic)
      let lag = 0
      for (const slot of slots) {
        if (slot.topic !== topic) continue
        const { start, end } = ranges.find(({ partition }) => partition === slot.partition) ?? nothing
        const place = `${topic}/${slot.partition}`
        if (slot.position !== undefined) lastKnown.set(place, slot.position)
        // A consumer that cannot find its place handles nothing, and is behind all the same.
        lag += Math.max(0, end - (lastKnown.get(place) ?? start))
        if (slot.position === undefined) continue
        if (end > slot.position) behind.push({ slot, end })
        else slot.activeAt = performance.now()
      }
      lagGauge.set({ consumer: label, topic }, lag)
    }
    if (watched !== membership()) return
    const stuck = behind.filter(
      ({ slot }) => !slot.isWaiting && performance.now() - slot.activeAt >= stuckAfter,
    )
    const isExplained = stuck.map(({ slot, end }) => passOver(watched, slot, end))
    if (isExplained.includes(false)) onStuck()
  }

  /**
   * Offsets can be empty up to the end: compacted away, or control records. A second client that finds nothing there
   * either is proof enough.
   */
  const passOver = (watched: Membership, slot: Slot, end: number): boolean => {
    if (slot.isInHand) return false
    const hole = `${slot.topic}/${slot.partition} ${slot.position}-${end}`
    if (!holes.delete(hole)) {
      holes.add(hole)
      return false
    }
    bus.log.warn({ consumer: label, hole }, 'nothing is to be read there: passed over')
    watched.seek(slot.topic, slot.partition, end)
    return true
  }

  const timer = setInterval(
    () => {
      if (isLooking) return
      isLooking = true
      look()
        // Kafka is away: nothing can be said.
        .catch(() => {})
        .finally(() => {
          isLooking = false
        })
    },
    Math.min(interval, stuckAfter / 2),
  )
  timer.unref()
  return () => {
    clearInterval(timer)
    for (const topic of topics) lagGauge.remove({ consumer: label, topic })
  }
}
