import { limits } from '@parley/contracts'
import { addLinkifier as contract } from '@parley/contracts/identity/linkifiers'
import { endpoint } from '../room.ts'
import { changeLinkifiers } from './linkifier-change.ts'
import { linkifierFinding } from './linkifier-rules.ts'
import { insertLinkifier } from './linkifier-store.ts'

export const addLinkifier = endpoint(contract, ({ caller, params, transaction, refuse }) => {
  const linkifier = {
    pattern: params.pattern.trim(),
    url_template: params.url_template.trim(),
    example_input: params.example_input || null,
    reverse_template: params.reverse_template || null,
    alternative_url_templates: params.alternative_url_templates ?? [],
  }
  return transaction((tx) =>
    changeLinkifiers(tx, caller, async (before) => {
      const finding = linkifierFinding(linkifier)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      if (before.some(({ pattern }) => pattern === linkifier.pattern)) {
        throw refuse('BAD_REQUEST', 'There is already a linkifier with this pattern.')
      }
      if (before.length >= limits.maxLinkifiers) {
        throw refuse('BAD_REQUEST', `There can be ${limits.maxLinkifiers} linkifiers at most.`)
      }
      return { id: await insertLinkifier(tx.sql, caller.realm.id, linkifier) }
    }),
  )
})
