import { EngineUnavailableError } from '@parley/contracts'
import { findUsers } from '@parley/contracts/identity/internals'
import { systemBotIn } from '@parley/contracts/identity/system-bots'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import type { Ask } from '@parley/kit'
import { LRUCache } from 'lru-cache'
import { addUsers, usersByEmails, usersByFullNames, usersByIds } from './user-store.ts'

/** Accounts kept in memory; a fact of identity replaces one within milliseconds. */
const remembered = 200_000

/** Texts that Postgres can hold. */
const isStorable = (text: string): boolean => !text.includes('\0')

/** A name may well be nobody's: while identity is away, nothing waits for its answer. */
export const orNobody = async <T>(asked: Promise<readonly T[]>): Promise<readonly T[]> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof EngineUnavailableError) return []
    throw error
  }
}

const numbered = /\|\d+$/

/** Names that stand for themselves and that nobody known has; a name with an ID (`name|7`) is found by that. */
const namesToAskFor = (names: readonly string[], known: readonly UserFact[]): string[] => {
  const found = new Set(known.map(({ full_name }) => full_name.toLowerCase()))
  const byId = new Set(names.filter((name) => numbered.test(name)).map((name) => name.replace(numbered, '')))
  return names.filter((name) => !found.has(name.toLowerCase()) && !byId.has(name) && !numbered.test(name))
}

/**
 * The accounts of all organizations: from memory, else from this service's copy, else from identity (an account may
 * be used before the fact of its creation has arrived). System bots are in every organization.
 */
export interface UserDirectory {
  /** Those of `ids` that exist in the organization. */
  byIds(realmId: number, ids: readonly number[]): Promise<Map<number, UserFact>>
  /** By API e-mail in lower case. */
  byEmails(realmId: number, emails: readonly string[]): Promise<Map<string, UserFact>>
  /** Active accounts whose name is one of these, whatever the case; for mentions. */
  byFullNames(realmId: number, names: readonly string[]): Promise<UserFact[]>
  /** Takes in what is at least as new as what is known. */
  learn(user: UserFact): void
}

export const userDirectory = (database: Database, ask: Ask): UserDirectory => {
  const byId = new LRUCache<number, UserFact>({ max: remembered })
  const idByEmail = new LRUCache<string, number>({ max: remembered })
  const emailKey = (realmId: number, email: string): string => `${realmId}/${email.toLowerCase()}`

  const learn = (user: UserFact): void => {
    const before = byId.get(user.id)
    if (before !== undefined && before.version > user.version) return
    byId.set(user.id, user)
    idByEmail.set(emailKey(user.realm_id, user.email), user.id)
  }
  const learnAll = (users: readonly UserFact[]): void => {
    for (const user of users) learn(user)
  }
  const askOwner = async (
    realmId: number,
    sought: { ids?: number[]; emails?: string[]; full_names?: string[] },
  ): Promise<UserFact[]> => {
    const { users } = await ask(findUsers, { realm_id: realmId, ids: [], emails: [], ...sought })
    await database.guard(addUsers(database.sql, users))
    learnAll(users)
    return users
  }

  const rememberedById = (realmId: number, id: number): UserFact | undefined => {
    const user = byId.get(id)
    return user?.realm_id === realmId ? user : systemBotIn(realmId, id)
  }
  const rememberedByEmail = (realmId: number, email: string): UserFact | undefined => {
    const id = idByEmail.get(emailKey(realmId, email))
    const user = id === undefined ? undefined : rememberedById(realmId, id)
    // The address may have moved on to another account since.
    return user?.email.toLowerCase() === email ? user : systemBotIn(realmId, email)
  }

  /** Looks in memory; what is missing there in this service's copy; what is missing there at identity. */
  const lookUp = async <K>(
    keys: readonly K[],
    remember: (key: K) => UserFact | undefined,
    fetch: (missing: K[]) => Promise<UserFact[]>,
    askFor: (missing: K[]) => Promise<unknown>,
  ): Promise<Map<K, UserFact>> => {
    const found = new Map<K, UserFact>()
    const missing = (): K[] =>
      keys.filter((key) => {
        const user = remember(key)
        if (user !== undefined) found.set(key, user)
        return user === undefined
      })
    let absent = missing()
    if (absent.length === 0) return found
    learnAll(await database.guard(fetch(absent)))
    absent = missing()
    if (absent.length === 0) return found
    await askFor(absent)
    missing()
    return found
  }

  return {
    learn,
    byIds: (realmId, ids) =>
      lookUp(
        ids,
        (id) => rememberedById(realmId, id),
        (missing) => usersByIds(database.sql, realmId, missing),
        (missing) => askOwner(realmId, { ids: missing }),
      ),
    byEmails: (realmId, emails) =>
      lookUp(
        emails.filter(isStorable),
        (email) => rememberedByEmail(realmId, email),
        (missing) => usersByEmails(database.sql, realmId, missing),
        (missing) => askOwner(realmId, { emails: missing }),
      ),
    async byFullNames(realmId, names) {
      const sought = names.filter(isStorable)
      if (sought.length === 0) return []
      const users = await database.guard(usersByFullNames(database.sql, realmId, sought))
      learnAll(users)
      // Memory may know an account that the copy does not hold yet, so whoever wrote a moment ago is asked for, too.
      const unknown = namesToAskFor(sought, users)
      if (unknown.length === 0) return users
      const found = await orNobody(askOwner(realmId, { full_names: unknown }))
      return [...users, ...found]
    },
  }
}
