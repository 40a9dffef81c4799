import { listNavigationViews as contract } from '@parley/contracts/channels/navigation-views'
import { endpoint } from '../room.ts'
import { navigationViewsOf } from './navigation-view-store.ts'

export const listNavigationViews = endpoint(contract, async ({ caller, deps: { database } }) => ({
  navigation_views: await database.guard(navigationViewsOf(database.sql, caller.user.id)),
}))
