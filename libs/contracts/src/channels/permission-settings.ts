/** What the group-valued settings of a channel accept (facts, section 10). */
import {
  anybody,
  membersOnly,
  type PermissionSetting,
  permissionSetting,
} from '../identity/permission-settings.ts'
import type { ChannelPermission } from '../objects/channel.ts'

export const channelPermissionSettings = {
  can_add_subscribers_group: permissionSetting('role:nobody', membersOnly),
  can_remove_subscribers_group: permissionSetting('role:administrators', anybody),
  can_administer_channel_group: permissionSetting('channel_creator', membersOnly),
  can_delete_any_message_group: permissionSetting('role:nobody', anybody),
  can_delete_own_message_group: permissionSetting('role:nobody', anybody),
  can_create_topic_group: permissionSetting('role:everyone', anybody),
  can_move_messages_out_of_channel_group: permissionSetting('role:nobody', anybody),
  can_move_messages_within_channel_group: permissionSetting('role:nobody', anybody),
  can_send_message_group: permissionSetting('role:everyone', anybody),
  can_subscribe_group: permissionSetting('role:nobody', membersOnly),
  can_resolve_topics_group: permissionSetting('role:nobody', anybody),
} as const satisfies Record<ChannelPermission, PermissionSetting>
export const channelPermissionNames = Object.keys(channelPermissionSettings) as ChannelPermission[]
