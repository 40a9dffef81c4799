import { type EventData, limits } from '@parley/contracts'
import type { restart } from '@parley/contracts/event-queue/events'
import type { Released } from '../queues/queue-records.ts'

/** What the server is: clients are told when it becomes another. */
export interface Release {
  /** The same in all processes of one release, another in every other release. */
  readonly name: string
  /** UNIX seconds: when this process was started. */
  readonly since: number
}

/** `named` is the operator's name for it; the interface that it speaks makes it another release in any case. */
export const thisRelease = (named: string): Release => ({
  name: [limits.serverVersion, limits.mergeBase, limits.featureLevel, named].join(' ').trim(),
  since: Math.floor(Date.now() / 1000),
})

/** What clients are told of a release. */
const restartOf = ({ since }: Release): EventData<typeof restart> & { type: 'restart' } => ({
  type: 'restart',
  zulip_version: limits.serverVersion,
  zulip_merge_base: limits.mergeBase,
  zulip_feature_level: limits.featureLevel,
  server_generation: since,
})

export const releasedRecord = (release: Release): Released => ({
  ...release,
  event: JSON.stringify(restartOf(release)),
})

/**
 * A shard remembers its releases among the numbers of what it has seen, each with the second since which it serves the
 * shard. So a release is told once, however often and by whomever it is repeated.
 */
const prefix = 'release '

export const releaseKey = (name: string): string => `${prefix}${name}`

type Numbers = Readonly<Record<string, number>>

/** Since when the release that serves a shard does so; 0 when none is known. */
export const servedSince = (numbers: Numbers): number =>
  Math.max(0, ...Object.entries(numbers).map(([key, since]) => (key.startsWith(prefix) ? since : 0)))

/**
 * Whether a release is news to a shard: another one serves it, or none that is known, and began before this process did.
 * While an upgrade goes on, a shard may come back to a process of the old release for a moment: that is no news.
 */
export const isNews = ({ name, since }: Release, numbers: Numbers): boolean => {
  const served = servedSince(numbers)
  return since > served && (served === 0 || numbers[releaseKey(name)] !== served)
}
