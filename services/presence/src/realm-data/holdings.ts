import type { Holdings } from '@parley/kit/holdings'
import { idOf } from '@parley/kit/rewritings'
import type { Deps } from '../room.ts'

/** What presence holds of organizations: statuses, and in Redis who is there. */
export const holdings: Holdings<Deps> = {
  service: 'presence',
  serverWide: [],
  tables: [
    // A copy of what identity owns.
    { table: 'accounts', belongs: { realm: 'realm_id' }, key: ['user_id'], archived: 'never' },
    {
      table: 'user_status',
      belongs: { realm: 'realm_id' },
      key: ['user_id'],
      archived: { public: true },
      rewrites: { user_id: idOf('user') },
    },
  ],
  elsewhere: [
    {
      what: 'presences',
      purge: (realmId, { presences }) => presences.forgetRealm(realmId),
      count: (realmId, { presences }) => presences.keysOf(realmId),
    },
  ],
}
