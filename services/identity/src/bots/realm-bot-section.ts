import { roles } from '@parley/contracts'
import {
  realmBotSection as contract,
  realmEmbeddedBotsSection as embeddedContract,
} from '@parley/contracts/identity/sections'
import { section } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { botObject } from './bot-presentation.ts'
import { botsOfRealm } from './bot-store.ts'

export const realmBotSection = section(
  contract,
  async ({ caller, sql }) => {
    const { id } = caller.user
    // The role in the token may be seconds old, and what a new one shows is told to who had registered before.
    const own = await userById(sql, caller.realm.id, id)
    const ownerId = (own?.role ?? roles.guest) <= roles.administrator ? undefined : id
    return { realm_bots: (await botsOfRealm(sql, caller.realm.id, ownerId)).map(botObject) }
  },
  async () => ({ realm_bots: [] }),
)

const embedded = async () => ({ realm_embedded_bots: [] })
export const realmEmbeddedBotsSection = section(embeddedContract, embedded, embedded)
