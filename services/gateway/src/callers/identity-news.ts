import { setTimeout as pause } from 'node:timers/promises'
import { type Bus, consumeEverywhere, type EverywhereConsumer } from '@parley/bus'
import { realmsTopic, usersTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { Logger } from 'pino'
import type { SessionStore } from '../sessions/session-store.ts'
import type { AccountDirectory } from './account-directory.ts'
import type { PrincipalDirectory } from './principal-directory.ts'
import type { RealmDirectory } from './realm-directory.ts'

/** Milliseconds for which an answer of identity is used while its facts arrive, and while they may not. */
const ageWithNews = 60_000
const ageWithoutNews = 10_000

/** Milliseconds without a word from Kafka after which facts may be missing. */
const longestSilence = 3000

/** Milliseconds between attempts to reach Kafka. */
const retryPause = 1000

interface Parts {
  readonly bus: Bus
  readonly realms: RealmDirectory
  readonly principals: PrincipalDirectory
  readonly accounts: AccountDirectory
  readonly sessions: SessionStore
  readonly log: Logger
}

/** Whether identity's facts are being heard, which decides for how long its answers are believed. */
export class IdentityNews {
  readonly #consumers: EverywhereConsumer[] = []

  maxAge(): number {
    const isHeard =
      this.#consumers.length === 2 && this.#consumers.every((consumer) => consumer.silence() < longestSilence)
    return isHeard ? ageWithNews : ageWithoutNews
  }

  /**
   * Starts to listen, as soon as Kafka is there; what was asked of identity before is dropped by the facts that come from
   * now on.
   */
  follow(parts: Parts): Running[] {
    let isStopped = false
    const listening = (async () => {
      while (!isStopped) {
        try {
          return await this.#listen(parts)
        } catch (error) {
          parts.log.warn({ err: error }, "identity's facts cannot be heard yet")
          await pause(retryPause)
        }
      }
    })()
    return [
      {
        stop: async () => {
          isStopped = true
          await listening
          await Promise.all(this.#consumers.map((consumer) => consumer.stop()))
        },
      },
    ]
  }

  async #listen(parts: Parts): Promise<void> {
    const { bus, realms, principals, accounts, sessions, log } = parts
    const name = 'gateway'
    // Left over from an attempt that got only half of the way.
    while (this.#consumers.length > 0) await this.#consumers.pop()!.stop()
    const users = await consumeEverywhere({
      bus,
      name,
      topic: usersTopic,
      from: 'now',
      handle: (key, fact) => {
        if (fact !== null) {
          principals.onUserFact(fact)
          accounts.onUserFact(fact)
        }
        // So that no session outlives a deactivation that is taken back later, nor the account itself.
        if (!fact?.is_active) {
          const user = Number(key)
          sessions
            .endAll(user)
            .catch((error) => log.warn({ err: error, user }, 'sessions of a deactivated account remain'))
        }
      },
    })
    this.#consumers.push(users)
    const organizations = await consumeEverywhere({
      bus,
      name,
      topic: realmsTopic,
      from: 'now',
      handle: (_key, fact) => {
        if (fact === null) return
        realms.onFact(fact)
        principals.onRealmFact(fact)
      },
    })
    this.#consumers.push(organizations)
  }
}
