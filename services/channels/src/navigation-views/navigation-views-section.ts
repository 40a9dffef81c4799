import { navigationViewsSection as contract } from '@parley/contracts/channels/personal-sections'
import { section } from '../room.ts'
import { navigationViewsOf } from './navigation-view-store.ts'

export const navigationViewsSection = section(
  contract,
  async ({ caller, sql }) => ({
    navigation_views: await navigationViewsOf(sql, caller.user.id),
  }),
  async () => ({ navigation_views: [] }),
)
