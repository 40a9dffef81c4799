import { navigationViewUpdate } from '@parley/contracts/channels/events'
import { updateNavigationView as contract } from '@parley/contracts/channels/navigation-views'
import { endpoint } from '../room.ts'
import { nameFinding, takenFinding } from './navigation-view-rules.ts'
import { lockNavigationView, lockNavigationViews, storeNavigationView } from './navigation-view-store.ts'

export const updateNavigationView = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { fragment, ...data } = params
    await lockNavigationViews(tx.sql, caller.user.id)
    const view = await lockNavigationView(tx.sql, caller.user.id, fragment)
    if (view === undefined) throw refuse('RESOURCE_NOT_FOUND', 'Navigation view does not exist.')
    const finding = nameFinding(fragment, data.name, false)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    if (Object.keys(data).length === 0) return {}
    const { is_pinned = view.is_pinned, name = view.name } = data
    if (!(await storeNavigationView(tx.sql, caller.user.id, { fragment, is_pinned, name }))) {
      throw refuse('BAD_REQUEST', takenFinding)
    }
    const to = { realm: caller.realm.id, users: [caller.user.id] }
    tx.emit(navigationViewUpdate, to, { fragment, data })
    return {}
  }),
)
