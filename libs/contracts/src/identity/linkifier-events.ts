import { z } from 'zod'
import { event } from '../event.ts'
import { Linkifier, Playground } from '../objects/linkifier.ts'

/** The organization's linkifiers changed; all of them, in order. For clients that know URL templates. */
export const realmLinkifiers = event({
  type: 'realm_linkifiers',
  fields: { realm_linkifiers: z.array(Linkifier) },
  shape: (event, client) => (client.capabilities.linkifier_url_template ? [event] : []),
})

/** The organization's playgrounds changed; all of them. */
export const realmPlaygrounds = event({
  type: 'realm_playgrounds',
  fields: { realm_playgrounds: z.array(Playground) },
})
