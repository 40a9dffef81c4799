import type { RealmFact } from '@parley/contracts/identity/topics'

/** What an organization says of presence. */
interface RealmRules {
  /** Nobody's presence is kept or shown. */
  readonly isPresenceDisabled: boolean
  /** Guests know those only with whom they talk. */
  readonly areGuestsLimited: boolean
}

const standard: RealmRules = { isPresenceDisabled: false, areGuestsLimited: false }

/** The rules of all organizations, in memory. Only those that differ from most take space. */
export interface RealmRulesDirectory {
  of(realmId: number): RealmRules
  learn(fact: RealmFact): void
}

export const realmRules = (): RealmRulesDirectory => {
  const unusual = new Map<number, RealmRules>()
  return {
    of: (realmId) => unusual.get(realmId) ?? standard,
    learn({ id, settings = {}, system_groups }) {
      const rules: RealmRules = {
        isPresenceDisabled: settings.presence_disabled === true,
        // It is `role:everyone` or `role:members`, nothing else (facts, section 10).
        areGuestsLimited: settings.can_access_all_users_group === system_groups['role:members'],
      }
      if (rules.isPresenceDisabled || rules.areGuestsLimited) unusual.set(id, rules)
      else unusual.delete(id)
    },
  }
}
