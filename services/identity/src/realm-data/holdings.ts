import type { TopicDeclaration } from '@parley/contracts'
import {
  botsTopic,
  groupsTopic,
  personalTopic,
  realmsTopic,
  usersTopic,
} from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import type { Holdings, Row } from '@parley/kit/holdings'
import { groupSettingsOf, idOf, realmOf } from '@parley/kit/rewritings'
import type { Deps } from '../room.ts'
import { countArchives, deleteArchives } from './archive-objects.ts'
import {
  completeBots,
  completeExports,
  completeProfileValues,
  completeUsers,
  fillRealm,
  realmSettingsOf,
} from './completions.ts'

/** Of somebody who agreed. */
const ownerAgreed = { consented: 't.user_id = ANY ($2)' }
const everybody = { public: true } as const

const ofUser = { column: 'user_id', of: 'users' }
const user = { user_id: idOf('user') }
const realm = { realm: 'realm_id' }

/** An entity that other services know of is gone. */
const forgotten =
  (key: string, ...topics: TopicDeclaration<never>[]) =>
  async (rows: Row[], tx: Tx): Promise<void> => {
    for (const row of rows) for (const topic of topics) tx.publish(topic, row[key] as number, null)
  }

/** What identity holds of organizations: all its tables, once. */
export const holdings: Holdings<Deps> = {
  service: 'identity',
  serverWide: ['realm_purges'],
  tables: [
    {
      table: 'realms',
      belongs: { realm: 'id' },
      key: ['id'],
      archived: everybody,
      secret: [
        'subdomain',
        'uuid',
        'is_active',
        'deactivated_at',
        'deletion_due_at',
        'demo_deletion_at',
        'owner_full_content_access',
        'version',
      ],
      rewrites: { settings: realmSettingsOf },
      complete: fillRealm,
      release: forgotten('id', realmsTopic as never),
    },
    {
      table: 'users',
      belongs: realm,
      key: ['id'],
      // Whoever owns a bot comes before it.
      order: 't.bot_type IS NOT NULL, t.id',
      archived: everybody,
      gives: [{ kind: 'user', column: 'id' }],
      secret: [
        'api_key_hash',
        'api_key_encrypted',
        'password_hash',
        'password_reset_required',
        'sessions_since',
        'spared_session',
        'key_version',
        'version',
      ],
      // As administrators see it.
      veiled: {
        delivery_email: `CASE WHEN t.bot_type IS NULL AND t.email_address_visibility = 4
          THEN t.email ELSE t.delivery_email END`,
      },
      rewrites: { bot_owner_id: idOf('user') },
      complete: completeUsers,
      loosens: ['bot_owner_id'],
      release: forgotten('id', usersTopic as never, personalTopic as never),
    },
    {
      table: 'bots',
      belongs: ofUser,
      key: ['user_id'],
      archived: everybody,
      secret: ['token'],
      // Addresses to be called may have secrets in them.
      veiled: { payload_url: 'NULL::text', interface: 'NULL::smallint' },
      rewrites: user,
      complete: completeBots,
      release: forgotten('user_id', botsTopic as never),
    },
    {
      table: 'bot_storage',
      belongs: { column: 'bot_id', of: 'users' },
      key: ['bot_id', 'key'],
      archived: { consented: 't.bot_id IN (SELECT b.id FROM users b WHERE b.bot_owner_id = ANY ($2))' },
      rewrites: { bot_id: idOf('user') },
    },
    {
      table: 'user_groups',
      belongs: realm,
      key: ['id'],
      archived: everybody,
      gives: [{ kind: 'group', column: 'id' }],
      secret: ['version'],
      rewrites: { creator_id: idOf('user'), settings: groupSettingsOf },
      release: forgotten('id', groupsTopic as never),
    },
    {
      table: 'group_members',
      belongs: { column: 'group_id', of: 'user_groups' },
      key: ['group_id', 'user_id'],
      archived: everybody,
      rewrites: { ...user, group_id: idOf('group') },
    },
    {
      table: 'group_subgroups',
      belongs: { column: 'group_id', of: 'user_groups' },
      key: ['group_id', 'subgroup_id'],
      archived: everybody,
      rewrites: { group_id: idOf('group'), subgroup_id: idOf('group') },
    },
    {
      table: 'group_closure',
      belongs: { column: 'group_id', of: 'user_groups' },
      key: ['group_id', 'subgroup_id'],
      archived: everybody,
      rewrites: { group_id: idOf('group'), subgroup_id: idOf('group') },
    },
    {
      table: 'personal',
      belongs: ofUser,
      key: ['user_id'],
      archived: ownerAgreed,
      secret: ['version'],
      rewrites: user,
    },
    {
      table: 'muted_users',
      belongs: ofUser,
      key: ['user_id', 'muted_user_id'],
      archived: ownerAgreed,
      rewrites: { ...user, muted_user_id: idOf('user') },
    },
    {
      table: 'profile_fields',
      belongs: realm,
      key: ['id'],
      archived: everybody,
      gives: [{ kind: 'profile_field', column: 'id' }],
    },
    {
      table: 'profile_values',
      belongs: { column: 'field_id', of: 'profile_fields' },
      key: ['user_id', 'field_id'],
      archived: everybody,
      rewrites: { ...user, field_id: idOf('profile_field') },
      complete: completeProfileValues,
    },
    {
      table: 'linkifiers',
      belongs: realm,
      key: ['id'],
      archived: everybody,
      gives: [{ kind: 'linkifier', column: 'id' }],
    },
    {
      table: 'playgrounds',
      belongs: realm,
      key: ['id'],
      archived: everybody,
      gives: [{ kind: 'playground', column: 'id' }],
    },
    {
      table: 'seen_onboarding_steps',
      belongs: ofUser,
      key: ['user_id', 'name'],
      archived: ownerAgreed,
      rewrites: user,
    },
    // Secrets of devices, and what people were let in by.
    { table: 'devices', belongs: ofUser, key: ['id'], archived: 'never' },
    { table: 'push_tokens', belongs: ofUser, key: ['user_id', 'kind', 'token'], archived: 'never' },
    { table: 'joinings', belongs: ofUser, key: ['name'], archived: 'never' },
    // Follows from who shares what, which channels says anew.
    {
      table: 'acquaintances',
      belongs: { column: 'guest_id', of: 'users' },
      key: ['guest_id', 'user_id'],
      archived: 'never',
    },
    {
      table: 'realm_exports',
      belongs: realm,
      key: ['id'],
      // What was exported before is told to administrators wherever the organization goes.
      archived: { consented: 't.acting_user_id IS NOT NULL AND t.finished_at IS NOT NULL' },
      gives: [{ kind: 'export', column: 'id' }],
      secret: ['object_key', 'lease', 'due_at', 'attempts', 'error'],
      narrow: async (rows) => rows.filter((row) => row.finished_at !== null || row.failed_at !== null),
      rewrites: { realm_id: realmOf, acting_user_id: idOf('user') },
      complete: completeExports,
    },
    { table: 'realm_imports', belongs: realm, key: ['id'], archived: 'never' },
  ],
  elsewhere: [{ what: 'archives in the object store', purge: deleteArchives, count: countArchives }],
}
