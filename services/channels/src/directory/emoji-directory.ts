import { findEmoji } from '@parley/contracts/uploads/internals'
import type { EmojiFact } from '@parley/contracts/uploads/topics'
import type { Database } from '@parley/db'
import type { Ask } from '@parley/kit'
import { emojiOfRealm } from './emoji-store.ts'

/** The custom emoji of one organization. */
export interface RealmEmojis {
  /** Deactivated ones among them. */
  readonly byId: ReadonlyMap<string, EmojiFact>
  readonly activeByName: ReadonlyMap<string, EmojiFact>
}

/** Those of all organizations, in memory once one was looked for; the facts of uploads keep them current. */
export interface EmojiDirectory {
  of(realmId: number): Promise<RealmEmojis>
  /** As uploads has them now: for what was not there, and may be new. */
  fresh(realmId: number): Promise<RealmEmojis>
  /** Takes in a state; what is deactivated stays so. */
  learn(emoji: EmojiFact): void
}

class Emojis implements RealmEmojis {
  readonly byId = new Map<string, EmojiFact>()
  #active: ReadonlyMap<string, EmojiFact> | undefined

  learn(emoji: EmojiFact): void {
    if (this.byId.get(emoji.id)?.deactivated === true) return
    this.byId.set(emoji.id, emoji)
    this.#active = undefined
  }

  get activeByName(): ReadonlyMap<string, EmojiFact> {
    this.#active ??= new Map(
      [...this.byId.values()].filter((emoji) => !emoji.deactivated).map((emoji) => [emoji.name, emoji]),
    )
    return this.#active
  }
}

export const emojiDirectory = (database: Database, ask: Ask): EmojiDirectory => {
  const realms = new Map<number, Emojis>()
  const loading = new Map<number, Promise<Emojis>>()
  const knownIn = (realmId: number): Emojis => {
    const known = realms.get(realmId) ?? new Emojis()
    realms.set(realmId, known)
    return known
  }
  const load = async (realmId: number): Promise<Emojis> => {
    const known = knownIn(realmId)
    for (const emoji of await database.guard(emojiOfRealm(database.sql, realmId))) known.learn(emoji)
    return known
  }
  const of = async (realmId: number): Promise<Emojis> => {
    const loaded = loading.get(realmId) ?? load(realmId)
    loading.set(realmId, loaded)
    try {
      return await loaded
    } catch (error) {
      loading.delete(realmId)
      throw error
    }
  }
  return {
    learn: (emoji) => knownIn(emoji.realm_id).learn(emoji),
    of,
    async fresh(realmId) {
      const known = await of(realmId)
      for (const emoji of (await ask(findEmoji, { realm_id: realmId })).emoji) known.learn(emoji)
      return known
    },
  }
}
