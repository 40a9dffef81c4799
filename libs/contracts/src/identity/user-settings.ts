/** The settings of a person as data (facts, section 9): parameters, defaults, events and state follow. */
import { z } from 'zod'
import { LanguageCode } from '../languages.ts'
import { either, quotable } from '../parameter.ts'

interface UserSetting<Value extends z.ZodType = z.ZodType> {
  /** As stored, as clients send it, and as they are told. */
  readonly value: Value
  /** What holds unless the organization or the person chose otherwise. */
  readonly standard: z.input<Value>
  /** Under which legacy name clients of long ago fetch it; null for what came later. */
  readonly legacySection: 'update_display_settings' | 'update_global_notifications' | null
  /** Not among an organization's defaults for new people. */
  readonly isPersonal: boolean
  /** Only for the person to choose: administrators cannot set it for others (level 444). */
  readonly isOwnChoice: boolean
}

type More = Partial<Pick<UserSetting, 'isPersonal' | 'isOwnChoice'>>

const family =
  (legacySection: UserSetting['legacySection']) =>
  <Value extends z.ZodType>(value: Value, standard: z.input<Value>, more: More = {}): UserSetting<Value> => ({
    value,
    standard,
    legacySection,
    isPersonal: false,
    isOwnChoice: false,
    ...more,
  })

const display = family('update_display_settings')
const notification = family('update_global_notifications')
const privacy = family(null)
const own = { isOwnChoice: true }

/** A whole number from 1 to `last`. */
const choice = (last: number) => z.int().min(1).max(last)
const flag = z.boolean()
const word = <const Words extends readonly string[]>(words: Words) => quotable(z.enum(words))

/** Sounds that clients bring with them; `none` is silence. */
export const notificationSounds = ['zulip', 'ding', 'chime', 'digi', 'knock', 'pop'] as const
export const emojisets = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
] as const

const isTimezone = (name: string): boolean => {
  if (name === '') return true
  // Offsets are time zones to the runtime, but not names that other clients know.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
const Timezone = quotable(z.string().max(40).refine(isTimezone, { message: 'Invalid timezone' }))

const maxBatchingSeconds = 7 * 24 * 60 * 60
/** When topics are followed or unmuted: 1 on any participation, 2 on sending, 3 on starting one, 4 never. */
const visibilityPolicy = choice(4)

export const userSettings = {
  enter_sends: display(flag, false),
  left_side_userlist: display(flag, false),
  default_language: display(quotable(LanguageCode), 'en'),
  timezone: display(Timezone, '', { isPersonal: true, isOwnChoice: true }),
  web_home_view: display(word(['recent', 'inbox', 'all_messages']), 'inbox'),
  web_escape_navigates_to_home_view: display(flag, true),
  fluid_layout_width: display(flag, false),
  high_contrast_mode: display(flag, false),
  translate_emoticons: display(flag, false),
  display_emoji_reaction_users: display(flag, true),
  starred_message_counts: display(flag, true),
  web_suggest_update_timezone: display(flag, true),
  /** Null: as is usual where the person is. */
  twenty_four_hour_time: display(either(flag.nullable()), null),
  color_scheme: display(choice(3), 1),
  web_font_size_px: display(z.int().min(1).max(100), 16),
  web_line_height_percent: display(z.int().min(1).max(1000), 140),
  web_animate_image_previews: display(word(['always', 'on_hover', 'never']), 'on_hover'),
  demote_inactive_streams: display(choice(3), 1),
  web_mark_read_on_scroll_policy: display(choice(3), 1),
  web_channel_default_view: display(choice(4), 1),
  emojiset: display(word(['google', 'twitter', 'text']), 'google'),
  user_list_style: display(choice(3), 3),
  web_stream_unreads_count_display_policy: display(choice(3), 2),
  web_left_sidebar_unreads_count_summary: display(flag, true),
  web_left_sidebar_show_channel_folders: display(flag, true),
  web_inbox_show_channel_folders: display(flag, true),
  web_navigate_to_sent_message: display(flag, true),
  hide_ai_features: display(flag, false),
  email_notifications_batching_period_seconds: notification(z.int().min(1).max(maxBatchingSeconds), 120),
  enable_stream_desktop_notifications: notification(flag, false),
  enable_stream_email_notifications: notification(flag, false),
  enable_stream_push_notifications: notification(flag, false),
  enable_stream_audible_notifications: notification(flag, false),
  notification_sound: notification(word(['none', ...notificationSounds]), 'zulip'),
  wildcard_mentions_notify: notification(flag, true),
  enable_followed_topic_desktop_notifications: notification(flag, true),
  enable_followed_topic_email_notifications: notification(flag, true),
  enable_followed_topic_push_notifications: notification(flag, true),
  enable_followed_topic_audible_notifications: notification(flag, true),
  enable_followed_topic_wildcard_mentions_notify: notification(flag, true),
  enable_desktop_notifications: notification(flag, true),
  pm_content_in_desktop_notifications: notification(flag, true),
  enable_sounds: notification(flag, true),
  enable_offline_email_notifications: notification(flag, true),
  message_content_in_email_notifications: notification(flag, true),
  enable_offline_push_notifications: notification(flag, true),
  enable_online_push_notifications: notification(flag, true),
  desktop_icon_count_display: notification(choice(4), 1),
  enable_digest_emails: notification(flag, true, own),
  enable_login_emails: notification(flag, true, own),
  enable_marketing_emails: notification(flag, true, own),
  presence_enabled: notification(flag, true, own),
  realm_name_in_email_notifications_policy: notification(choice(3), 1),
  automatically_follow_topics_policy: notification(visibilityPolicy, 3),
  automatically_unmute_topics_in_muted_streams_policy: notification(visibilityPolicy, 2),
  automatically_follow_topics_where_mentioned: notification(flag, true),
  resolved_topic_notice_auto_read_policy: notification(
    word(['always', 'except_followed', 'never']),
    'except_followed',
  ),
  enable_drafts_synchronization: display(flag, true),
  send_private_typing_notifications: privacy(flag, true, own),
  send_stream_typing_notifications: privacy(flag, true, own),
  send_read_receipts: privacy(flag, true, own),
  receives_typing_notifications: privacy(flag, true),
  allow_private_data_export: privacy(flag, false, { isPersonal: true, isOwnChoice: true }),
  email_address_visibility: privacy(z.literal([1, 2, 3, 4, 5]), 1, own),
} as const satisfies Record<string, UserSetting>
export type UserSettingName = keyof typeof userSettings
export const userSettingNames = Object.keys(userSettings) as UserSettingName[]

export type UserSettingValue = string | number | boolean | null

/** All settings of one person. */
export type UserSettings = {
  readonly [name in UserSettingName]: z.output<(typeof userSettings)[name]['value']>
}

/** All settings of a person of whom only those are known that differ from their defaults. */
export const allUserSettings = (stored: Readonly<Record<string, unknown>>): UserSettings =>
  Object.fromEntries(
    userSettingNames.map((name) => [
      name,
      Object.hasOwn(stored, name) ? stored[name] : userSettings[name].standard,
    ]),
  ) as UserSettings
