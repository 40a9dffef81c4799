import { navigationViewRemove } from '@parley/contracts/channels/events'
import { deleteNavigationView as contract } from '@parley/contracts/channels/navigation-views'
import { endpoint } from '../room.ts'
import { removeNavigationView } from './navigation-view-store.ts'

export const deleteNavigationView = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { fragment } = params
    if (!(await removeNavigationView(tx.sql, caller.user.id, fragment))) {
      throw refuse('RESOURCE_NOT_FOUND', 'Navigation view does not exist.')
    }
    tx.emit(navigationViewRemove, { realm: caller.realm.id, users: [caller.user.id] }, { fragment })
    return {}
  }),
)
