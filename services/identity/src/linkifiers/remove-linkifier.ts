import { removeLinkifier as contract } from '@parley/contracts/identity/linkifiers'
import { endpoint } from '../room.ts'
import { changeLinkifiers } from './linkifier-change.ts'
import { deleteLinkifier } from './linkifier-store.ts'

export const removeLinkifier = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction((tx) =>
    changeLinkifiers(tx, caller, async (all) => {
      if (!all.some(({ id }) => id === params.filter_id)) throw refuse('BAD_REQUEST', 'Linkifier not found.')
      await deleteLinkifier(tx.sql, params.filter_id)
      return {}
    }),
  ),
)
