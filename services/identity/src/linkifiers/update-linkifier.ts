import { updateLinkifier as contract } from '@parley/contracts/identity/linkifiers'
import { endpoint } from '../room.ts'
import { changeLinkifiers } from './linkifier-change.ts'
import { linkifierFinding } from './linkifier-rules.ts'
import { changeLinkifier } from './linkifier-store.ts'

/** What is stored for a text that was sent, or not: an empty one stands for none. */
const after = (sent: string | undefined, before: string | null): string | null =>
  sent === undefined ? before : sent || null

export const updateLinkifier = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction((tx) =>
    changeLinkifiers(tx, caller, async (all) => {
      const before = all.find(({ id }) => id === params.filter_id)
      if (before === undefined) throw refuse('BAD_REQUEST', 'Linkifier not found.')
      const linkifier = {
        id: before.id,
        pattern: params.pattern?.trim() ?? before.pattern,
        url_template: params.url_template?.trim() ?? before.url_template,
        example_input: after(params.example_input, before.example_input),
        reverse_template: after(params.reverse_template, before.reverse_template),
        alternative_url_templates: params.alternative_url_templates ?? before.alternative_url_templates,
      }
      const finding = linkifierFinding(linkifier)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      if (all.some(({ id, pattern }) => id !== before.id && pattern === linkifier.pattern)) {
        throw refuse('BAD_REQUEST', 'There is already a linkifier with this pattern.')
      }
      await changeLinkifier(tx.sql, linkifier)
      return {}
    }),
  ),
)
