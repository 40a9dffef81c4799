import { limits } from '@parley/contracts'
import { navigationViewAdd } from '@parley/contracts/channels/events'
import { createNavigationView as contract } from '@parley/contracts/channels/navigation-views'
import { endpoint } from '../room.ts'
import { nameFinding, takenFinding } from './navigation-view-rules.ts'
import { countNavigationViews, insertNavigationView, lockNavigationViews } from './navigation-view-store.ts'

export const createNavigationView = endpoint(contract, ({ params, caller, refuse, transaction }) =>
  transaction(async (tx) => {
    const { fragment, is_pinned, name } = params
    const finding = nameFinding(fragment, name, true)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    await lockNavigationViews(tx.sql, caller.user.id)
    if ((await countNavigationViews(tx.sql, caller.user.id)) >= limits.maxNavigationViews) {
      throw refuse('BAD_REQUEST', `You can't have more than ${limits.maxNavigationViews} navigation views.`)
    }
    const navigation_view = { fragment, is_pinned, name: name ?? null }
    if (!(await insertNavigationView(tx.sql, caller.user.id, navigation_view))) {
      throw refuse('BAD_REQUEST', takenFinding)
    }
    tx.emit(navigationViewAdd, { realm: caller.realm.id, users: [caller.user.id] }, { navigation_view })
    return {}
  }),
)
