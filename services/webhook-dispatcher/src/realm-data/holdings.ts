import type { Holdings } from '@parley/kit/holdings'
import type { Deps } from '../room.ts'

const realm = { realm: 'realm_id' }

/**
 * What webhook-dispatcher holds of organizations: copies of bots with their secrets, and calls. Nothing of it travels: bots
 * come back as identity has them, with secrets of their own.
 */
export const holdings: Holdings<Deps> = {
  service: 'webhook-dispatcher',
  serverWide: [],
  tables: [
    { table: 'receivers', belongs: realm, key: ['bot_id'], archived: 'never' },
    { table: 'deliveries', belongs: realm, key: ['id'], archived: 'never' },
    {
      table: 'attempts',
      belongs: { column: 'delivery_id', of: 'deliveries' },
      key: ['delivery_id', 'number'],
      archived: 'never',
    },
    { table: 'posts', belongs: realm, key: ['id'], archived: 'never' },
  ],
}
