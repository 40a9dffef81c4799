import { z } from 'zod'
import { GroupSettingValue } from './values.ts'

export const TopicsPolicy = z.enum([
  'inherit',
  'allow_empty_topic',
  'disable_empty_topic',
  'empty_topic_only',
])

/** The group-valued permissions of a channel, in the requirement's order. */
export const channelPermissions = {
  can_add_subscribers_group: GroupSettingValue,
  can_remove_subscribers_group: GroupSettingValue,
  can_administer_channel_group: GroupSettingValue,
  can_delete_any_message_group: GroupSettingValue,
  can_delete_own_message_group: GroupSettingValue,
  can_create_topic_group: GroupSettingValue,
  can_move_messages_out_of_channel_group: GroupSettingValue,
  can_move_messages_within_channel_group: GroupSettingValue,
  can_send_message_group: GroupSettingValue,
  can_subscribe_group: GroupSettingValue,
  can_resolve_topics_group: GroupSettingValue,
}
export type ChannelPermission = keyof typeof channelPermissions

/** The channel object (requirement, "Channel object", and facts section 1 for the fields after it). */
export const Channel = z.strictObject({
  stream_id: z.int(),
  name: z.string(),
  is_archived: z.boolean(),
  description: z.string(),
  rendered_description: z.string(),
  date_created: z.int(),
  creator_id: z.int().nullable(),
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  stream_post_policy: z.int(),
  is_announcement_only: z.boolean(),
  message_retention_days: z.int().nullable(),
  default_push_notifications: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  topics_policy: TopicsPolicy,
  first_message_id: z.int().nullable(),
  folder_id: z.int().nullable(),
  is_recently_active: z.boolean(),
  subscriber_count: z.int(),
  stream_weekly_traffic: z.int().nullable(),
  ...channelPermissions,
})
export type Channel = z.infer<typeof Channel>

const inheritable = z.boolean().nullable()

/** The user's own settings that null settings of a subscription stand for. */
export const InheritedNotifications = z.strictObject({
  desktop_notifications: z.boolean(),
  audible_notifications: z.boolean(),
  push_notifications: z.boolean(),
  email_notifications: z.boolean(),
  wildcard_mentions_notify: z.boolean(),
})
export type InheritedNotifications = z.infer<typeof InheritedNotifications>

/** A channel with what one subscriber set for it (facts section 1). Null settings inherit the user's own. */
export const Subscription = Channel.extend({
  subscribers: z.array(z.int()).optional(),
  partial_subscribers: z.array(z.int()).optional(),
  desktop_notifications: inheritable,
  email_notifications: inheritable,
  wildcard_mentions_notify: inheritable,
  push_notifications: inheritable,
  audible_notifications: inheritable,
  pin_to_top: z.boolean(),
  is_muted: z.boolean(),
  /** Legacy: the opposite of is_muted. */
  in_home_view: z.boolean(),
  color: z.string(),
})
export type Subscription = z.infer<typeof Subscription>

/** A subscription for clients that do not know null settings. */
export const withoutNull = <S extends Pick<Subscription, keyof InheritedNotifications>>(
  subscription: S,
  inherited: InheritedNotifications,
): S => ({
  ...subscription,
  desktop_notifications: subscription.desktop_notifications ?? inherited.desktop_notifications,
  audible_notifications: subscription.audible_notifications ?? inherited.audible_notifications,
  push_notifications: subscription.push_notifications ?? inherited.push_notifications,
  email_notifications: subscription.email_notifications ?? inherited.email_notifications,
  wildcard_mentions_notify: subscription.wildcard_mentions_notify ?? inherited.wildcard_mentions_notify,
})
