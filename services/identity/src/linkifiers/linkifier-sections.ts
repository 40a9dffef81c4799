import type { SectionOptions } from '@parley/contracts'
import {
  realmFiltersSection as filtersContract,
  realmLinkifiersSection as linkifiersContract,
  realmPlaygroundsSection as playgroundsContract,
} from '@parley/contracts/identity/sections'
import { type Queries, section } from '../room.ts'
import { linkifiersOf, playgroundsOf } from './linkifier-store.ts'

interface Asked {
  readonly options: SectionOptions
  readonly sql: Queries
}

const linkifiers = async (realmId: number, { options, sql }: Asked) => ({
  realm_linkifiers: options.client_capabilities?.linkifier_url_template
    ? await linkifiersOf(sql, realmId)
    : [],
})

export const realmLinkifiersSection = section(
  linkifiersContract,
  ({ caller, ...asked }) => linkifiers(caller.realm.id, asked),
  ({ realm, ...asked }) => linkifiers(realm.id, asked),
)

const filters = async () => ({ realm_filters: [] })
export const realmFiltersSection = section(filtersContract, filters, filters)

const playgrounds = async (realmId: number, sql: Queries) => ({
  realm_playgrounds: await playgroundsOf(sql, realmId),
})

export const realmPlaygroundsSection = section(
  playgroundsContract,
  ({ caller, sql }) => playgrounds(caller.realm.id, sql),
  ({ realm, sql }) => playgrounds(realm.id, sql),
)
