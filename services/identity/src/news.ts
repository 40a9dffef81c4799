/**
 * Who changed something expects it to hold for their next request, which another service may decide: so an answer waits
 * until those who act by what changed know of it. For a moment only: it is a courtesy, nothing depends on it.
 */
import { awaitNews } from '@parley/contracts/channels/internals'
import { newsTopics } from '@parley/contracts/identity/news'
import type { Ask, Tx } from '@parley/kit'

/** The state that something got. */
export interface News {
  readonly topic: (typeof newsTopics)[number]
  readonly id: number
  readonly version: number
}

/** Changes of so many things at once are not waited for. */
const mostAtOnce = 200
/** After somebody waited in vain nobody waits for so many times as long: a service that is away costs a tenth of the time. */
const restPerWait = 10

const isFollowed = (topic: string): topic is News['topic'] =>
  (newsTopics as readonly string[]).includes(topic)

/** The same transaction, and what it publishes noted. */
export const noting = <T extends Pick<Tx, 'publish'>>(tx: T, news: News[]): T => ({
  ...tx,
  publish: (topic, key, value) => {
    tx.publish(topic, key, value)
    const version = (value as { version?: unknown } | null)?.version
    if (isFollowed(topic.name) && typeof version === 'number')
      news.push({ topic: topic.name, id: Number(key), version })
  },
})

/** Resolves when the news has come, or is not worth waiting for. Never fails. */
export type NewsWait = (realmId: number, news: readonly News[]) => Promise<void>

/** `now`: milliseconds of a clock that never goes back. */
export const newsWait = (ask: Ask, now: () => number = () => performance.now()): NewsWait => {
  let waitsAgainAt = 0
  return async (realmId, news) => {
    const began = now()
    if (news.length === 0 || news.length > mostAtOnce || began < waitsAgainAt) return
    const { have_come } = await ask(awaitNews, { realm_id: realmId, news: [...news] }).catch(() => ({
      have_come: false,
    }))
    if (!have_come) waitsAgainAt = now() + (now() - began) * restPerWait
  }
}
