import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

interface RequestQueue {
  readonly pending: readonly unknown[]
  readonly inflight: ReadonlyMap<number, InflightRequest>
  /** Milliseconds since the epoch; -1 when the broker has never slowed this client down. */
  readonly throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  readonly enforceRequestTimeout: boolean
  requestTimeoutIntervalId: NodeJS.Timeout | null
  isConnected(): boolean
  destroy(): void
  checkPendingRequests(): void
  scheduleCheckPendingRequests(): void
  scheduleRequestTimeoutCheck(): void
}

interface InflightRequest {
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  /** Milliseconds. */
  readonly requestTimeout: number
  timeoutRequest(): void
}

/** Milliseconds between looks while too many requests are in flight; the client's own number. */
const checkInterval = 10
/** Milliseconds between looks for requests that were never answered: they may be late by so much. */
const timeoutInterval = 1000

interface ConsumerGroup {
  /** Milliseconds that the next fetch waits in the broker, or, while everything is paused, in the client. */
  maxWaitTime: number
  /** Another one each time that partitions are assigned. */
  readonly generationId: number | null
  /** What came of each partition that was asked for. */
  fetch(nodeId: number): Promise<FetchedPartition[]>
}

interface FetchedPartition {
  readonly rawMessages: readonly unknown[]
}

/** Milliseconds that a fetch of a member waits that has just been assigned its partitions. */
const shortestWait = 50
/** How much of the time since then a fetch may wait. */
const shareOfAge = 0.1

/**
 * The client (kafkajs 2.2.4) keeps an idle process busy. For each connection that was ever used it looks after requests
 * that wait to be sent by a timer of a millisecond that sets itself again for ever, and ten times per second after requests
 * without an answer. Here the first timer is set while something waits, and the second one looks once per second.
 */
const quietRequestQueue = (): void => {
  const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue }
  prototype.scheduleCheckPendingRequests = function schedule(this: RequestQueue): void {
    if (this.throttleCheckTimeoutId !== null && this.throttleCheckTimeoutId !== undefined) return
    if (this.pending.length === 0) return
    const throttled = this.throttledUntil - Date.now()
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null
        this.checkPendingRequests()
      },
      throttled > 0 ? throttled : checkInterval,
    )
  }
  prototype.scheduleRequestTimeoutCheck = function schedule(this: RequestQueue): void {
    if (!this.enforceRequestTimeout) return
    this.destroy()
    this.requestTimeoutIntervalId = setInterval(() => {
      const now = Date.now()
      for (const request of [...this.inflight.values()]) {
        if (now - request.sentAt > request.requestTimeout) request.timeoutRequest()
      }
      if (!this.isConnected()) this.destroy()
    }, timeoutInterval)
  }
}

/**
 * How long a fetch waits says how often an idle consumer asks, and how long what it has to do next may have to wait for the
 * fetch: beginning to read after an assignment, leaving. So a new member's fetches are short, and the longer it has been one
 * the longer they get, up to what was asked for. None is shortened by news: a record ends every wait.
 */
const growingWaits = ({ prototype }: { prototype: ConsumerGroup }): void => {
  const { fetch } = prototype
  const members = new WeakMap<ConsumerGroup, { longest: number; generation: number | null; since: number }>()
  prototype.fetch = function patient(this: ConsumerGroup, nodeId: number): Promise<FetchedPartition[]> {
    let member = members.get(this)
    if (member === undefined || member.generation !== this.generationId) {
      const longest = member?.longest ?? this.maxWaitTime
      member = { longest, generation: this.generationId, since: performance.now() }
      members.set(this, member)
    }
    const grown = Math.round((performance.now() - member.since) * shareOfAge)
    this.maxWaitTime = Math.min(member.longest, Math.max(shortestWait, grown))
    return fetch.call(this, nodeId)
  }
}

/**
 * Partitions of which a fetch brought nothing are left out. The client would take each of them through all its steps, one
 * after the other, before it comes to the one with the record that somebody waits for.
 */
const partitionsWithRecords = ({ prototype }: { prototype: ConsumerGroup }): void => {
  const { fetch } = prototype
  prototype.fetch = async function selective(this: ConsumerGroup, nodeId: number) {
    const partitions = await fetch.call(this, nodeId)
    return partitions.filter(({ rawMessages }) => rawMessages.length > 0)
  }
}

/** Makes the client cost little, while nothing happens above all; for every client that is made afterwards. */
export const quietClient = (): void => {
  const consumerGroup = require('kafkajs/src/consumer/consumerGroup') as { prototype: ConsumerGroup }
  quietRequestQueue()
  growingWaits(consumerGroup)
  partitionsWithRecords(consumerGroup)
}
