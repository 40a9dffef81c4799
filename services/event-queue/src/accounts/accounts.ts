import { roles } from '@parley/contracts'
import type { RealmFact, UserFact } from '@parley/contracts/identity/topics'
import type { QueueOpened } from '../queues/queue-records.ts'

/** Whose queues end: the part of accounts and organizations that event-queue has to remember, from their facts. */
export class Accounts {
  readonly #deactivated = new Set<number>()
  readonly #guests = new Set<number>()
  readonly #closedRealms = new Set<number>()

  takeUser({ id, is_active, role }: Pick<UserFact, 'id' | 'is_active' | 'role'>): void {
    if (is_active) this.#deactivated.delete(id)
    else this.#deactivated.add(id)
    if (role === roles.guest) this.#guests.add(id)
    else this.#guests.delete(id)
  }

  takeRealm({ id, is_active }: Pick<RealmFact, 'id' | 'is_active'>): void {
    if (is_active) this.#closedRealms.delete(id)
    else this.#closedRealms.add(id)
  }

  /** Whether a queue may not be (any more): its owner is gone, or may not read all public channels as it would. */
  refuses({ user, realm, all_public }: Pick<QueueOpened, 'user' | 'realm' | 'all_public'>): boolean {
    return (
      this.#deactivated.has(user) || this.#closedRealms.has(realm) || (all_public && this.#guests.has(user))
    )
  }
}
