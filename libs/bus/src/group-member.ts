import { setTimeout as pause } from 'node:timers/promises'
import { Counter } from 'prom-client'
import { countFromZero } from './dead-letters.ts'
import { joinGroup, type MemberOptions, type Membership } from './membership.ts'
import { watchProgress } from './progress-watch.ts'

const reconnections = new Counter({
  name: 'parley_consumer_reconnections_total',
  help: 'Times that a consumer was replaced because its client had given up, or had got stuck.',
  labelNames: ['consumer', 'reason'],
})

/** A consumer that lives until it is stopped. */
export interface GroupMember {
  seek(topic: string, partition: number, offset: number): void
  stop(): Promise<void>
}

/** Milliseconds that a stop waits for a batch in hand, and for a Kafka that is away: half of the shortest shutdown. */
const longestFarewell = 5000
/** Milliseconds before another attempt to join. */
const comebackPause = 500

/**
 * Is a member of a group for as long as the process wants it: a client that gave up, or is alive but stuck (nothing
 * moves although there is something to read, for `stuckAfter` milliseconds), is replaced by a new one.
 */
export const startMember = async (options: MemberOptions & { stuckAfter?: number }): Promise<GroupMember> => {
  const { bus, label, topics, stuckAfter } = options
  countFromZero(label, topics)
  for (const reason of ['gave up', 'stuck']) reconnections.inc({ consumer: label, reason }, 0)
  const stop = new AbortController()
  let membership: Membership | undefined
  let joining: Promise<void> | undefined

  const join = async (): Promise<void> => {
    let isOver = false
    const joined = await joinGroup(options, (reason) => {
      if (isOver) return
      isOver = true
      replace('gave up', reason)
    })
    if (isOver || stop.signal.aborted) joined.abandon()
    else membership = joined
  }

  const rejoin = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await join()
        return
      } catch (error) {
        bus.log.warn({ err: error, consumer: label }, 'a consumer could not join its group')
      }
      await pause(comebackPause, undefined, { signal: stop.signal }).catch(() => {})
    }
  }

  const replace = (reason: 'gave up' | 'stuck', error?: unknown): void => {
    if (stop.signal.aborted || joining !== undefined) return
    reconnections.inc({ consumer: label, reason })
    bus.log.error({ err: error, consumer: label, reason }, 'a consumer is replaced')
    membership?.abandon()
    joining = pause(comebackPause, undefined, { signal: stop.signal })
      .catch(() => {})
      .then(rejoin)
      .finally(() => {
        joining = undefined
      })
  }

  const forget = watchProgress({
    bus,
    label,
    topics,
    membership: () => membership,
    ...(stuckAfter === undefined ? {} : { stuckAfter }),
    onStuck: () => replace('stuck'),
  })
  try {
    await join()
  } catch (error) {
    forget()
    throw error
  }
  return {
    seek: (topic, partition, offset) => membership?.seek(topic, partition, offset),
    async stop() {
      stop.abort()
      forget()
      const farewell = new AbortController()
      await Promise.race([
        Promise.resolve(joining).then(() => membership?.leave()),
        pause(longestFarewell, undefined, { signal: farewell.signal }),
      ]).catch(() => {})
      farewell.abort()
      membership?.abandon()
    },
  }
}
