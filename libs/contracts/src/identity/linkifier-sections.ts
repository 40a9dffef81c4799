import { z } from 'zod'
import { Linkifier, Playground } from '../objects/linkifier.ts'
import { section } from '../section.ts'

/** Empty for clients that do not know URL templates. */
export const realmLinkifiersSection = section({
  service: 'identity',
  name: 'realm_linkifiers',
  fields: { realm_linkifiers: z.array(Linkifier) },
})

/** The form of long ago, which cannot hold URL templates. */
export const realmFiltersSection = section({
  service: 'identity',
  name: 'realm_filters',
  fields: { realm_filters: z.array(z.tuple([z.string(), z.string(), z.int()])) },
})

export const realmPlaygroundsSection = section({
  service: 'identity',
  name: 'realm_playgrounds',
  fields: { realm_playgrounds: z.array(Playground) },
})
