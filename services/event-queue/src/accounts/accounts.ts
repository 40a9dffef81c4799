import { roles } from '@parley/contracts'
import type { RealmFact, UserFact } from '@parley/contracts/identity/topics'
import type { QueueOpened } from '../queues/queue-records.ts'

type Account = Pick<UserFact, 'id' | 'is_active' | 'role' | 'key_version'>

/** Whose queues end: the part of accounts and organizations that event-queue has to remember, from their facts. */
export class Accounts {
  readonly #deactivated = new Set<number>()
  readonly #guests = new Set<number>()
  /** Of accounts whose first key was replaced. */
  readonly #keyVersions = new Map<number, number>()
  readonly #closedRealms = new Set<number>()

  takeUser({ id, is_active, role, key_version }: Account): void {
    if (is_active) this.#deactivated.delete(id)
    else this.#deactivated.add(id)
    if (role === roles.guest) this.#guests.add(id)
    else this.#guests.delete(id)
    if (key_version !== undefined && key_version > (this.#keyVersions.get(id) ?? 1)) {
      this.#keyVersions.set(id, key_version)
    }
  }

  takeRealm({ id, is_active }: Pick<RealmFact, 'id' | 'is_active'>): void {
    if (is_active) this.#closedRealms.delete(id)
    else this.#closedRealms.add(id)
  }

  /**
   * Whether a queue may not be (any more): its owner is gone or has another key now, or may not read all public
   * channels as it would.
   */
  refuses({ user, realm, all_public, key_version }: Opened): boolean {
    return (
      this.#deactivated.has(user) ||
      this.#closedRealms.has(realm) ||
      (all_public && this.#guests.has(user)) ||
      (key_version !== undefined && key_version < (this.#keyVersions.get(user) ?? 1))
    )
  }
}

type Opened = Pick<QueueOpened, 'user' | 'realm' | 'all_public' | 'key_version'>
