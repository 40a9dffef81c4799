import { randomUUID } from 'node:crypto'
import { EngineUnavailableError } from '@parley/contracts'
import type { Running } from '@parley/kit'
import { Gauge } from 'prom-client'
import type { Log } from '../room.ts'
import type { Claimed, ClaimWish } from './delivery-store.ts'

/** How often all bots are looked at for what became due, or was left by somebody who died. */
const scanMilliseconds = 1000
/** Seconds after which a delivery is tried again that could not be decided on because an engine was away. */
const awaySeconds = 2
/** The same where not even the failure could be written down. */
const puzzledSeconds = 60

const underWayGauge = new Gauge({
  name: 'parley_webhook_calls_under_way',
  help: 'Deliveries that this process is working on.',
})

export interface Dispatcher extends Running {
  /** Deliveries of these bots may be due. */
  wake(bots: readonly number[]): void
}

export interface DispatcherParts {
  readonly claim: (wish: ClaimWish) => Promise<Claimed[]>
  readonly attempt: (claimed: Claimed) => Promise<void>
  readonly giveBack: (claimed: Claimed, pause: number) => Promise<void>
  readonly perBot: number
  readonly total: number
  readonly log: Log
}

/**
 * Takes what is due and works on it, as much at a time as allowed: per bot, so that one which hangs holds up nobody but
 * itself, and in all. Works from the database: other processes do the same, and take over what a dead one had in hand.
 */
export const startDispatcher = ({
  claim,
  attempt,
  giveBack,
  perBot,
  total,
  log,
}: DispatcherParts): Dispatcher => {
  const underWay = new Map<number, number>()
  let calls = 0
  let hints = new Set<number>()
  let scanDue = true
  let isClaiming = false
  let isStopping = false
  let idle = Promise.withResolvers<void>()
  idle.resolve()

  const took = (bot: number, change: 1 | -1): void => {
    const count = (underWay.get(bot) ?? 0) + change
    if (count === 0) underWay.delete(bot)
    else underWay.set(bot, count)
    if (calls === 0 && change === 1) idle = Promise.withResolvers<void>()
    calls += change
    underWayGauge.set(calls)
    if (calls === 0) idle.resolve()
  }

  const work = async (claimed: Claimed): Promise<void> => {
    const { bot_id } = claimed.delivery
    try {
      await attempt(claimed)
    } catch (error) {
      const isAway = error instanceof EngineUnavailableError
      log[isAway ? 'warn' : 'error'](
        { err: error, delivery: claimed.delivery.public_id },
        'a delivery could not be worked on',
      )
      // What was written down is not in hand any more, and stays. If this fails too, the lease ends by itself.
      await giveBack(claimed, isAway ? awaySeconds : puzzledSeconds).catch(() => {})
    } finally {
      took(bot_id, -1)
      wake([bot_id])
    }
  }

  const takeDue = async (): Promise<void> => {
    if (isClaiming) return
    isClaiming = true
    try {
      while (!isStopping && calls < total && (scanDue || hints.size > 0)) {
        const bots = scanDue ? undefined : [...hints]
        scanDue = false
        hints = new Set()
        const claimed = await claim({
          ...(bots === undefined ? {} : { bots }),
          underWay,
          perBot,
          limit: total - calls,
          lease: randomUUID(),
        })
        for (const one of claimed) took(one.delivery.bot_id, 1)
        for (const one of claimed) void work(one)
      }
    } catch (error) {
      log.warn({ err: error }, 'no deliveries could be taken')
    } finally {
      isClaiming = false
    }
  }

  const wake = (bots: readonly number[]): void => {
    if (isStopping) return
    for (const bot of bots) hints.add(bot)
    void takeDue()
  }

  const scan = setInterval(() => {
    scanDue = true
    void takeDue()
  }, scanMilliseconds)

  return {
    wake,
    async stop() {
      isStopping = true
      clearInterval(scan)
      await idle.promise
    },
  }
}
