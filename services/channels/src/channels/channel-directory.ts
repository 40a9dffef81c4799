import type { Database } from '@parley/db'
import { LRUCache } from 'lru-cache'
import { type ChannelRow, channelById, channelsByNames } from './channel-store.ts'

const remembered = 100_000

/**
 * Channels kept in memory for sending. What is kept may be older than what is stored: whoever acts on it has the
 * database compare `version` in the transaction of the act, and on `stale` forgets the channel and looks again. That is
 * exact whichever process changed the channel, and needs no announcement between processes.
 */
export interface ChannelDirectory {
  byId(realmId: number, id: number): Promise<ChannelRow | undefined>
  byName(realmId: number, name: string): Promise<ChannelRow | undefined>
  /** For links in texts: those of `names` that exist. */
  byNames(realmId: number, names: readonly string[]): Promise<ChannelRow[]>
  forget(id: number): void
}

export const channelDirectory = (database: Database): ChannelDirectory => {
  const known = new LRUCache<number, ChannelRow>({ max: remembered })
  const idByName = new LRUCache<string, number>({ max: remembered })
  // As spelled: which letters are each other's lower case is for the database alone to say.
  const nameKey = (realmId: number, name: string): string => `${realmId}/${name}`

  const learn = (channel: ChannelRow): ChannelRow => {
    known.set(channel.id, channel)
    return channel
  }
  return {
    async byId(realmId, id) {
      const channel = known.get(id)
      if (channel !== undefined) return channel.realm_id === realmId ? channel : undefined
      const found = await database.guard(channelById(database.sql, realmId, id))
      return found && learn(found)
    },
    async byName(realmId, name) {
      const id = idByName.get(nameKey(realmId, name))
      const channel = id === undefined ? undefined : known.get(id)
      // It may have been renamed since.
      if (channel !== undefined && channel.name.toLowerCase() === name.toLowerCase()) return channel
      if (name.includes('\0')) return undefined
      const [found] = await database.guard(channelsByNames(database.sql, realmId, [name]))
      if (found === undefined) return undefined
      idByName.set(nameKey(realmId, name), found.id)
      return learn(found)
    },
    async byNames(realmId, names) {
      const sought = names.filter((name) => !name.includes('\0'))
      return sought.length === 0 ? [] : database.guard(channelsByNames(database.sql, realmId, sought))
    },
    forget: (id) => void known.delete(id),
  }
}
