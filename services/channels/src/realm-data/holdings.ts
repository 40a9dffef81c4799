import type { Holdings } from '@parley/kit/holdings'
import { boundOf, groupSettingsOf, idOf, idsOf, realmOf } from '@parley/kit/rewritings'
import type { Deps } from '../room.ts'
import { archivedMessages, archivedWithConsent } from './archived-messages.ts'
import { completeConversations, completeReactions, completeRecipients } from './completions.ts'
import { settle } from './settle.ts'
import { historyOf, textsOf } from './text-rewriting.ts'

/** Of somebody who agreed. */
const ownerAgreed = { consented: 't.user_id = ANY ($2)' }
/** What every member may know, as far as the row that it hangs on. */
const everybody = { public: true } as const

const user = { user_id: idOf('user') }
const message = { message_id: idOf('message') }
const inChannel = { column: 'channel_id', of: 'channels' }
const onMessage = { column: 'message_id', of: 'messages' }
const ofUser = { column: 'user_id', of: 'users' }

/** What channels holds of organizations: all its tables, once. */
export const holdings: Holdings<Deps> = {
  service: 'channels',
  serverWide: ['traffic_progress', 'retention_progress', 'activity_progress'],
  tables: [
    // Copies of what identity owns.
    { table: 'realms', belongs: { realm: 'id' }, key: ['id'], archived: 'never' },
    { table: 'users', belongs: { realm: 'realm_id' }, key: ['id'], archived: 'never' },
    { table: 'personal', belongs: { realm: 'realm_id' }, key: ['user_id'], archived: 'never' },
    { table: 'user_groups', belongs: { realm: 'realm_id' }, key: ['id'], archived: 'never' },
    {
      table: 'group_members',
      belongs: { column: 'group_id', of: 'user_groups' },
      key: ['group_id', 'user_id'],
      archived: 'never',
    },
    {
      table: 'group_subgroups',
      belongs: { column: 'group_id', of: 'user_groups' },
      key: ['group_id', 'subgroup_id'],
      archived: 'never',
    },

    { table: 'realm_emoji', belongs: { realm: 'realm_id' }, key: ['id'], archived: 'never' },

    {
      table: 'channel_folders',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: everybody,
      gives: [{ kind: 'folder', column: 'id' }],
      rewrites: { creator_id: idOf('user') },
    },
    {
      table: 'channels',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: {
        public: 'NOT t.invite_only',
        consented: `EXISTS (
          SELECT FROM subscription_periods p WHERE p.channel_id = t.id AND p.user_id = ANY ($2))`,
      },
      gives: [
        { kind: 'channel', column: 'id' },
        { kind: 'recipient', column: 'recipient_id', sequence: 'recipient_ids' },
      ],
      rewrites: {
        creator_id: idOf('user'),
        folder_id: idOf('folder'),
        group_settings: groupSettingsOf,
      },
    },
    {
      table: 'subscription_periods',
      belongs: inChannel,
      key: ['channel_id', 'user_id', 'from_version'],
      archived: everybody,
      rewrites: {
        ...user,
        channel_id: idOf('channel'),
        after_message_id: boundOf('message'),
        until_message_id: boundOf('message'),
      },
    },
    {
      table: 'subscriptions',
      belongs: ofUser,
      key: ['user_id', 'channel_id'],
      archived: ownerAgreed,
      rewrites: { ...user, channel_id: idOf('channel') },
    },
    {
      table: 'default_channels',
      belongs: inChannel,
      key: ['realm_id', 'channel_id'],
      archived: everybody,
      rewrites: { realm_id: realmOf, channel_id: idOf('channel') },
    },
    {
      table: 'default_channel_groups',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: everybody,
      gives: [{ kind: 'default_channel_group', column: 'id' }],
      rewrites: { channel_ids: idsOf('channel') },
    },
    {
      table: 'user_topics',
      belongs: inChannel,
      key: ['channel_id', 'user_id', 'topic'],
      archived: ownerAgreed,
      rewrites: { ...user, channel_id: idOf('channel') },
    },
    // Counted from messages as they come.
    { table: 'channel_traffic', belongs: inChannel, key: ['channel_id', 'day'], archived: 'never' },

    {
      table: 'conversations',
      belongs: { realm: 'realm_id' },
      key: ['recipient_id'],
      archived: { consented: 't.user_ids && $2' },
      gives: [{ kind: 'recipient', column: 'recipient_id', sequence: 'recipient_ids' }],
      secret: ['participants_hash'],
      rewrites: { user_ids: idsOf('user') },
      complete: completeConversations,
    },
    {
      table: 'conversation_participants',
      belongs: { column: 'recipient_id', of: 'conversations', its: 'recipient_id' },
      key: ['user_id', 'recipient_id'],
      archived: everybody,
      rewrites: { ...user, recipient_id: idOf('recipient') },
    },
    {
      table: 'messages',
      // By conversation: that is how they are found without looking at those of everybody.
      belongs: {
        where: `t.recipient_id IN (
          SELECT c.recipient_id FROM channels c WHERE c.realm_id = $1
          UNION ALL SELECT d.recipient_id FROM conversations d WHERE d.realm_id = $1)`,
      },
      key: ['id'],
      archived: { public: archivedMessages, consented: archivedWithConsent },
      gives: [{ kind: 'message', column: 'id' }],
      // Where it was before, and what it said, may have been for fewer eyes.
      veiled: { edit_history: 'NULL::jsonb' },
      rewrites: {
        realm_id: realmOf,
        recipient_id: idOf('recipient'),
        channel_id: idOf('channel'),
        received_channel_id: idOf('channel'),
        sender_id: idOf('user'),
        content: textsOf,
        rendered_content: textsOf,
        edit_history: historyOf,
      },
    },
    {
      table: 'message_flags',
      belongs: onMessage,
      key: ['user_id', 'message_id'],
      archived: ownerAgreed,
      rewrites: { ...user, ...message },
    },
    {
      table: 'read_marks',
      belongs: ofUser,
      key: ['user_id', 'recipient_id'],
      archived: ownerAgreed,
      rewrites: { ...user, recipient_id: idOf('recipient'), read_up_to: boundOf('message') },
    },
    {
      table: 'read_exceptions',
      belongs: onMessage,
      key: ['user_id', 'recipient_id', 'message_id'],
      archived: ownerAgreed,
      rewrites: { ...user, ...message, recipient_id: idOf('recipient') },
    },
    {
      // Up to where everything of a sender counts as read.
      table: 'muted_senders',
      belongs: ofUser,
      key: ['user_id', 'sender_id'],
      archived: ownerAgreed,
      rewrites: { ...user, sender_id: idOf('user'), read_up_to: boundOf('message') },
    },
    {
      table: 'reactions',
      belongs: onMessage,
      key: ['message_id', 'user_id', 'reaction_type', 'emoji_code'],
      archived: everybody,
      gives: [{ kind: 'reaction', column: 'id' }],
      rewrites: { ...user, ...message },
      complete: completeReactions,
    },
    {
      table: 'submessages',
      belongs: onMessage,
      key: ['id'],
      archived: everybody,
      gives: [{ kind: 'submessage', column: 'id' }],
      rewrites: { ...message, sender_id: idOf('user') },
    },
    { table: 'archived_rows', belongs: { realm: 'realm_id' }, key: ['message_id'], archived: 'never' },
    {
      table: 'public_listeners',
      belongs: { realm: 'realm_id' },
      key: ['realm_id', 'user_id'],
      archived: 'never',
    },
    {
      table: 'sent_local_ids',
      belongs: { column: 'sender_id', of: 'users' },
      key: ['sender_id', 'queue_id', 'local_id'],
      archived: 'never',
    },

    {
      table: 'drafts',
      belongs: ofUser,
      key: ['id'],
      archived: ownerAgreed,
      gives: [{ kind: 'draft', column: 'id' }],
      rewrites: { ...user, content: textsOf },
      complete: completeRecipients,
    },
    {
      table: 'saved_snippets',
      belongs: ofUser,
      key: ['id'],
      archived: ownerAgreed,
      gives: [{ kind: 'saved_snippet', column: 'id' }],
      rewrites: { ...user, content: textsOf },
    },
    {
      table: 'navigation_views',
      belongs: ofUser,
      key: ['id'],
      archived: ownerAgreed,
      gives: [{ kind: 'navigation_view', column: 'id' }],
      rewrites: user,
    },
    {
      table: 'scheduled_messages',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: ownerAgreed,
      gives: [{ kind: 'scheduled_message', column: 'id' }],
      rewrites: { ...user, content: textsOf, rendered_content: textsOf },
      complete: completeRecipients,
    },
    {
      table: 'reminders',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: ownerAgreed,
      gives: [{ kind: 'reminder', column: 'id' }],
      rewrites: { ...user, ...message, content: textsOf, rendered_content: textsOf },
    },
    // On their way.
    { table: 'notices', belongs: { realm: 'realm_id' }, key: ['id'], archived: 'never' },
    { table: 'message_removals', belongs: { realm: 'realm_id' }, key: ['id'], archived: 'never' },
    { table: 'joinings', belongs: ofUser, key: ['name'], archived: 'never' },
    // Seen again at the next call.
    { table: 'user_activity', belongs: ofUser, key: ['user_id'], archived: 'never' },
  ],
  settle,
}
