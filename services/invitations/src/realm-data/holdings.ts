import type { Holdings } from '@parley/kit/holdings'
import type { Deps } from '../room.ts'

const realm = { realm: 'realm_id' }

/** What invitations holds of organizations: all its tables, once. Invitations and who is on the way in do not travel. */
export const holdings: Holdings<Deps> = {
  service: 'invitations',
  // Of organizations that are not there yet.
  serverWide: ['foundings'],
  tables: [
    {
      table: 'realm_domains',
      belongs: realm,
      key: ['id'],
      archived: { public: true },
      gives: [{ kind: 'realm_domain', column: 'id' }],
    },
    { table: 'invitations', belongs: realm, key: ['id'], archived: 'never' },
    { table: 'inviters_to_judge', belongs: realm, key: ['inviter_id'], archived: 'never' },
    { table: 'mails', belongs: realm, key: ['id'], archived: 'never' },
    { table: 'unsubscribed', belongs: realm, key: ['realm_id', 'email'], archived: 'never' },
    { table: 'confirmations', belongs: realm, key: ['id'], archived: 'never' },
    { table: 'account_links', belongs: realm, key: ['id'], archived: 'never' },
    { table: 'joinings', belongs: realm, key: ['id'], archived: 'never' },
  ],
}
