import { findEmoji } from '@parley/contracts/uploads/internals'
import type { EmojiFact } from '@parley/contracts/uploads/topics'
import type { Ask } from '@parley/kit'

export interface CustomEmoji {
  /** Its ID, which is its code in a status. */
  readonly id: string
  readonly name: string
  readonly deactivated: boolean
}

/**
 * The custom emoji of all organizations, in memory: from the facts of uploads, else from uploads itself, since whoever
 * has just added one may set it at once.
 */
export interface EmojiDirectory {
  /** The active one of this name. `isNeeded`: uploads is asked when memory does not know it. */
  byName(realmId: number, name: string, isNeeded: boolean): Promise<CustomEmoji | undefined>
  byId(realmId: number, id: string): Promise<CustomEmoji | undefined>
  learn(fact: EmojiFact): void
}

export const emojiDirectory = (ask: Ask): EmojiDirectory => {
  const known = new Map<number, Map<string, CustomEmoji>>()

  const learn = ({ realm_id, id, name, deactivated }: EmojiFact): void => {
    const ofRealm = known.get(realm_id) ?? new Map<string, CustomEmoji>()
    known.set(realm_id, ofRealm)
    // "A deactivated one never comes back" (the topic): whatever says otherwise is older.
    if (ofRealm.get(id)?.deactivated !== true) ofRealm.set(id, { id, name, deactivated })
  }
  const look = async (
    realmId: number,
    isMeant: (emoji: CustomEmoji) => boolean,
    isNeeded: boolean,
  ): Promise<CustomEmoji | undefined> => {
    const found = known.get(realmId)?.values().find(isMeant)
    if (found !== undefined || !isNeeded) return found
    const { emoji } = await ask(findEmoji, { realm_id: realmId })
    for (const one of emoji) learn(one)
    return known.get(realmId)?.values().find(isMeant)
  }

  return {
    learn,
    byName: (realmId, name, isNeeded) =>
      look(realmId, (emoji) => emoji.name === name && !emoji.deactivated, isNeeded),
    byId: (realmId, id) => look(realmId, (emoji) => emoji.id === id, true),
  }
}
