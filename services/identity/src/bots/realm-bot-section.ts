import { isAtLeast } from '@parley/contracts'
import {
  realmBotSection as contract,
  realmEmbeddedBotsSection as embeddedContract,
} from '@parley/contracts/identity/sections'
import { section } from '../room.ts'
import { botObject } from './bot-presentation.ts'
import { botsOfRealm } from './bot-store.ts'

export const realmBotSection = section(
  contract,
  async ({ caller, sql }) => {
    const ownerId = isAtLeast(caller.user, 'administrator') ? undefined : caller.user.id
    return { realm_bots: (await botsOfRealm(sql, caller.realm.id, ownerId)).map(botObject) }
  },
  async () => ({ realm_bots: [] }),
)

const embedded = async () => ({ realm_embedded_bots: [] })
export const realmEmbeddedBotsSection = section(embeddedContract, embedded, embedded)
