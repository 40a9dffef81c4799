import type { PersonalFact } from '@parley/contracts/identity/topics'
import {
  type UserSettingName,
  type UserSettings,
  userSettings,
} from '@parley/contracts/identity/user-settings'
import type { Database } from '@parley/db'
import { type AlertWords, compileAlertWords, type Rendered } from '@parley/markdown'
import { personalOfRealm } from './personal-store.ts'

/** Settings that decide about messages. */
const remembered = [
  'automatically_follow_topics_policy',
  'automatically_unmute_topics_in_muted_streams_policy',
  'automatically_follow_topics_where_mentioned',
  'translate_emoticons',
  'enable_drafts_synchronization',
] as const satisfies readonly UserSettingName[]
type Remembered = (typeof remembered)[number]

/** What the people of one organization chose for themselves, as far as messages depend on it. */
export interface RealmPeople {
  setting<Name extends Remembered>(userId: number, name: Name): UserSettings[Name]
  /** Whose alert words a text has. */
  alertedBy(text: Rendered): readonly number[]
  /** Who has muted somebody. */
  mutersOf(userId: number): readonly number[]
}

/** The choices of everybody, in memory: an organization's whole at its first message, then by the facts of identity. */
export interface PersonalDirectory {
  of(realmId: number): Promise<RealmPeople>
  /** Takes in what is newer than what is known. */
  learn(fact: PersonalFact): void
}

type Choices = Pick<PersonalFact, 'settings' | 'alert_words' | 'muted_user_ids' | 'version'>

const none: readonly number[] = []

/** Answers from the choices of an organization's people; what needs all of them is put together when it is asked for. */
class People implements RealmPeople {
  readonly #choices = new Map<number, Choices>()
  #alerts: { words: AlertWords; users: Map<string, number[]> } | undefined
  #muters: Map<number, number[]> | undefined

  learn({ id, settings, alert_words, muted_user_ids, version }: PersonalFact): void {
    const before = this.#choices.get(id)
    if (before !== undefined && before.version >= version) return
    const kept = remembered.filter((name) => settings[name] !== undefined)
    this.#choices.set(id, {
      settings: Object.fromEntries(kept.map((name) => [name, settings[name]!])),
      alert_words,
      muted_user_ids,
      version,
    })
    if (before?.alert_words.join('\n') !== alert_words.join('\n')) this.#alerts = undefined
    if (before?.muted_user_ids.join() !== muted_user_ids.join()) this.#muters = undefined
  }

  setting<Name extends Remembered>(userId: number, name: Name): UserSettings[Name] {
    return (this.#choices.get(userId)?.settings[name] ?? userSettings[name].standard) as UserSettings[Name]
  }

  alertedBy(text: Rendered): readonly number[] {
    this.#alerts ??= this.#collectAlerts()
    const { words, users } = this.#alerts
    if (users.size === 0) return none
    return [...new Set(text.alertWordsIn(words).flatMap((word) => users.get(word) ?? none))]
  }

  mutersOf(userId: number): readonly number[] {
    this.#muters ??= this.#collectMuters()
    return this.#muters.get(userId) ?? none
  }

  #collectAlerts() {
    const users = new Map<string, number[]>()
    for (const [id, { alert_words }] of this.#choices) {
      for (const word of alert_words) users.set(word, [...(users.get(word) ?? []), id])
    }
    return { words: compileAlertWords(users.keys()), users }
  }

  #collectMuters(): Map<number, number[]> {
    const muters = new Map<number, number[]>()
    for (const [id, { muted_user_ids }] of this.#choices) {
      for (const muted of muted_user_ids) muters.set(muted, [...(muters.get(muted) ?? []), id])
    }
    return muters
  }
}

export const personalDirectory = (database: Database): PersonalDirectory => {
  const realms = new Map<number, People>()
  const loading = new Map<number, Promise<People>>()
  const peopleOf = (realmId: number): People => {
    const known = realms.get(realmId) ?? new People()
    realms.set(realmId, known)
    return known
  }
  const load = async (realmId: number): Promise<People> => {
    // A fact that arrives before the database has it is remembered meanwhile, and stays as the newer one.
    const people = peopleOf(realmId)
    for (const fact of await database.guard(personalOfRealm(database.sql, realmId))) people.learn(fact)
    return people
  }
  return {
    learn: (fact) => peopleOf(fact.realm_id).learn(fact),
    async of(realmId) {
      const loaded = loading.get(realmId) ?? load(realmId)
      loading.set(realmId, loaded)
      try {
        return await loaded
      } catch (error) {
        loading.delete(realmId)
        throw error
      }
    },
  }
}
