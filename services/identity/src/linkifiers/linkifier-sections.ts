import {
  realmFiltersSection as filtersContract,
  realmLinkifiersSection as linkifiersContract,
  realmPlaygroundsSection as playgroundsContract,
} from '@parley/contracts/identity/sections'
import { section } from '../room.ts'
import { linkifiersOf, playgroundsOf } from './linkifier-store.ts'

export const realmLinkifiersSection = section(linkifiersContract, async ({ caller, options, sql }) => ({
  realm_linkifiers: options.client_capabilities?.linkifier_url_template
    ? await linkifiersOf(sql, caller.realm.id)
    : [],
}))

export const realmFiltersSection = section(filtersContract, async () => ({ realm_filters: [] }))

export const realmPlaygroundsSection = section(playgroundsContract, async ({ caller, sql }) => ({
  realm_playgrounds: await playgroundsOf(sql, caller.realm.id),
}))
