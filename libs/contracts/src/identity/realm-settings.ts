/** The settings of an organization as data (facts, section 8): parameters, defaults, events and state follow. */
import { z } from 'zod'
import { LanguageCode } from '../languages.ts'
import { limits } from '../limits.ts'
import { Timestamp } from '../objects/values.ts'
import { either, quotable } from '../parameter.ts'

interface RealmSetting<Value extends z.ZodType = z.ZodType> {
  /** As stored, and as clients are told. */
  readonly value: Value
  readonly standard: z.input<Value>
  /** As clients send it, where that differs from `value`; null for settings that the interface cannot change. */
  readonly parameter: z.ZodType<z.output<Value>> | null
  readonly who: 'administrator' | 'owner'
}

const setting = <Value extends z.ZodType>(
  value: Value,
  standard: z.input<Value>,
  more: Partial<Pick<RealmSetting<Value>, 'parameter' | 'who'>> = {},
): RealmSetting<Value> => ({
  value,
  standard,
  parameter: value as unknown as z.ZodType<z.output<Value>>,
  who: 'administrator',
  ...more,
})

const flag = (standard: boolean, who: RealmSetting['who'] = 'administrator') =>
  setting(z.boolean(), standard, { who })

/** Seconds; null for no limit, which clients send as the word `unlimited`. */
const seconds = (standard: number | null) =>
  setting(z.int().positive().nullable(), standard, {
    parameter: either(z.union([z.int().positive(), z.literal('unlimited').transform(() => null)])),
  })

/** -1 for none. That there is such a channel, channels says. */
const channel = setting(z.union([z.literal(-1), z.int().positive()]), -1)

const orgTypes = [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000] as const

/** Every setting but the name, the description and the permission settings. */
export const realmSettings = {
  allow_message_editing: flag(true),
  avatar_changes_disabled: flag(false),
  email_changes_disabled: flag(false),
  name_changes_disabled: flag(false),
  default_avatar_source: setting(quotable(z.enum(['G', 'J'])), 'G'),
  default_code_block_language: setting(z.string().max(100), ''),
  default_language: setting(LanguageCode, 'en'),
  digest_emails_enabled: flag(false),
  digest_weekday: setting(z.int().min(0).max(6), 1),
  disallow_disposable_email_addresses: flag(true, 'owner'),
  emails_restricted_to_domains: flag(false, 'owner'),
  enable_guest_user_dm_warning: flag(true),
  enable_guest_user_indicator: flag(true),
  enable_read_receipts: flag(false),
  enable_spectator_access: flag(false),
  gif_rating_policy: setting(z.int().min(0).max(5), 2),
  inline_image_preview: flag(true),
  inline_url_embed_preview: flag(false),
  invite_required: flag(true, 'owner'),
  jitsi_server_url: setting(z.url().max(200).nullable(), null, {
    parameter: either(z.union([z.literal('default').transform(() => null), z.url().max(200)])),
  }),
  media_preview_size: setting(z.literal([100, 150, 200]), 100),
  message_content_allowed_in_email_notifications: flag(true),
  message_content_delete_limit_seconds: seconds(600),
  message_content_edit_limit_seconds: seconds(600),
  message_edit_history_visibility_policy: setting(quotable(z.enum(['all', 'moves', 'none'])), 'all'),
  /** -1 for ever. */
  message_retention_days: setting(z.union([z.literal(-1), z.int().positive()]), -1, {
    who: 'owner',
    parameter: either(
      z.union([z.literal('unlimited').transform(() => -1 as const), z.literal(-1), z.int().positive()]),
    ),
  }),
  moderation_request_channel_id: channel,
  new_stream_announcements_stream_id: channel,
  signup_announcements_stream_id: channel,
  zulip_update_announcements_stream_id: channel,
  move_messages_between_streams_limit_seconds: seconds(604_800),
  move_messages_within_stream_limit_seconds: seconds(604_800),
  org_type: setting(z.literal(orgTypes), 0),
  plan_type: setting(z.int(), 1, { parameter: null }),
  presence_disabled: flag(false),
  push_notifications_enabled: setting(z.boolean(), false, { parameter: null }),
  push_notifications_enabled_end_timestamp: setting(Timestamp.nullable(), null, { parameter: null }),
  require_e2ee_push_notifications: flag(false),
  require_unique_names: flag(false),
  send_channel_events_messages: flag(true),
  send_welcome_emails: flag(true),
  topics_policy: setting(quotable(z.enum(['allow_empty_topic', 'disable_empty_topic'])), 'allow_empty_topic'),
  /** 0 none, 1 Jitsi, 4 BigBlueButton (where the server is configured for it): the server knows no other providers. */
  video_chat_provider: setting(z.literal([0, 1, 4]), 1),
  waiting_period_threshold: setting(z.int().min(0).max(36_500), 0, { who: 'owner' }),
  want_advertise_in_communities_directory: flag(false),
  welcome_message_custom_text: setting(z.string().max(limits.maxWelcomeMessageLength), ''),
  upload_quota_mib: setting(z.int().nullable(), null, { parameter: null }),
} as const satisfies Record<string, RealmSetting>
export type RealmSettingName = keyof typeof realmSettings
export const realmSettingNames = Object.keys(realmSettings) as RealmSettingName[]

/** Ways to log in that an organization may switch on and off. */
export const AuthenticationMethods = z
  .strictObject({ Email: z.boolean(), LDAP: z.boolean(), Dev: z.boolean() })
  .partial()
export type AuthenticationMethods = Record<'Email' | 'LDAP' | 'Dev', boolean>

/** Settings that give a channel a task. */
export const channelSettingNames = [
  'moderation_request_channel_id',
  'new_stream_announcements_stream_id',
  'signup_announcements_stream_id',
  'zulip_update_announcements_stream_id',
] as const satisfies readonly RealmSettingName[]
