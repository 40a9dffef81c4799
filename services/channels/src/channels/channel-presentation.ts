import type { Channel } from '@parley/contracts/objects/channel'
import type { SystemGroups } from '../permissions/actor.ts'
import type { ChannelActivity, ChannelRow } from './channel-store.ts'

/** The deprecated form of can_send_message_group: 1 anybody, 2 administrators, 3 full members, 4 moderators. */
export const postPolicy = (channel: Pick<ChannelRow, 'group_settings'>, groups: SystemGroups): number => {
  switch (channel.group_settings.can_send_message_group) {
    case groups['role:administrators']:
      return 2
    case groups['role:fullmembers']:
      return 3
    case groups['role:moderators']:
      return 4
    default:
      return 1
  }
}

const daySeconds = 86_400

/**
 * Messages a week, on average over the last four weeks or the channel's life; null for the first week. `age` in seconds.
 * Some traffic is never shown as none.
 */
export const weeklyTraffic = (recentMessages: number, age: number): number | null => {
  const days = Math.floor(age / daySeconds)
  if (days < 7) return null
  const average = Math.round((recentMessages * 7) / Math.min(days, 28))
  return recentMessages > 0 ? Math.max(average, 1) : 0
}

/** The channel object (facts section 1). `now` in UNIX seconds. */
export const presentChannel = (
  channel: ChannelRow,
  activity: ChannelActivity,
  groups: SystemGroups,
  now: number,
): Channel => {
  const stream_post_policy = postPolicy(channel, groups)
  return {
    stream_id: channel.id,
    name: channel.name,
    is_archived: channel.is_archived,
    description: channel.description,
    rendered_description: channel.rendered_description,
    date_created: channel.date_created,
    creator_id: channel.creator_id,
    invite_only: channel.invite_only,
    is_web_public: channel.is_web_public,
    stream_post_policy,
    is_announcement_only: stream_post_policy === 2,
    message_retention_days: channel.message_retention_days,
    default_push_notifications: channel.default_push_notifications,
    history_public_to_subscribers: channel.history_public_to_subscribers,
    topics_policy: channel.topics_policy,
    first_message_id: activity.first_message_id,
    folder_id: channel.folder_id,
    is_recently_active: channel.is_recently_active,
    subscriber_count: channel.subscriber_count,
    stream_weekly_traffic: weeklyTraffic(activity.recent_messages, now - channel.date_created),
    ...channel.group_settings,
  }
}
