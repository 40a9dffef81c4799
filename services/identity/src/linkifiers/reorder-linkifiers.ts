import { reorderLinkifiers as contract } from '@parley/contracts/identity/linkifiers'
import { endpoint } from '../room.ts'
import { changeLinkifiers } from './linkifier-change.ts'
import { orderLinkifiers } from './linkifier-store.ts'

export const reorderLinkifiers = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction((tx) =>
    changeLinkifiers(tx, caller, async (all) => {
      const wanted = new Set(params.ordered_linkifier_ids)
      const isComplete = wanted.size === params.ordered_linkifier_ids.length && wanted.size === all.length
      if (!isComplete || all.some(({ id }) => !wanted.has(id))) {
        throw refuse('BAD_REQUEST', 'The ordered list must enumerate all existing linkifiers exactly once')
      }
      await orderLinkifiers(tx.sql, params.ordered_linkifier_ids)
      return {}
    }),
  ),
)
