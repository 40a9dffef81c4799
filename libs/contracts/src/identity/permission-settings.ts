/** The settings that say which group may do something (facts, section 10): data, from which all else follows. */
import type { GroupPermissionName } from '../objects/user-group.ts'
import type { SystemGroupName } from './topics.ts'

/** What a group-valued setting accepts, as clients read it in `server_supported_permission_settings`. */
export interface PermissionSetting {
  readonly require_system_group: boolean
  readonly allow_internet_group: boolean
  readonly allow_nobody_group: boolean
  readonly allow_everyone_group: boolean
  /** `channel_creator` and `group_creator` stand for whoever makes the thing. */
  readonly default_group_name: SystemGroupName | 'channel_creator' | 'group_creator'
  readonly default_for_system_groups: SystemGroupName | null
  /** Empty when any is allowed. */
  readonly allowed_system_groups: readonly SystemGroupName[]
}

/** A setting of the realm: its default is always a system group. */
type RealmPermission = PermissionSetting & { readonly default_group_name: SystemGroupName }

export const permissionSetting = <const Default extends PermissionSetting['default_group_name']>(
  default_group_name: Default,
  { nobody, everyone }: { nobody: boolean; everyone: boolean },
  more: Partial<PermissionSetting> = {},
): PermissionSetting & { readonly default_group_name: Default } => ({
  require_system_group: false,
  allow_internet_group: false,
  allow_nobody_group: nobody,
  allow_everyone_group: everyone,
  default_for_system_groups: null,
  allowed_system_groups: [],
  ...more,
  default_group_name,
})

export const membersOnly = { nobody: true, everyone: false }
export const anybody = { nobody: true, everyone: true }
const somebody = { nobody: false, everyone: false }

export const realmPermissions = {
  create_multiuse_invite_group: permissionSetting('role:administrators', membersOnly),
  can_access_all_users_group: permissionSetting(
    'role:everyone',
    { nobody: false, everyone: true },
    { require_system_group: true, allowed_system_groups: ['role:everyone', 'role:members'] },
  ),
  can_add_custom_emoji_group: permissionSetting('role:members', membersOnly),
  can_add_subscribers_group: permissionSetting('role:members', membersOnly),
  can_create_bots_group: permissionSetting('role:members', membersOnly),
  can_create_groups: permissionSetting('role:members', membersOnly),
  can_create_private_channel_group: permissionSetting('role:members', membersOnly),
  can_create_public_channel_group: permissionSetting('role:members', membersOnly),
  can_create_web_public_channel_group: permissionSetting('role:owners', membersOnly, {
    require_system_group: true,
    allowed_system_groups: ['role:moderators', 'role:administrators', 'role:owners', 'role:nobody'],
  }),
  can_create_write_only_bots_group: permissionSetting('role:members', membersOnly),
  can_delete_any_message_group: permissionSetting('role:administrators', membersOnly),
  can_delete_own_message_group: permissionSetting('role:everyone', anybody),
  can_invite_users_group: permissionSetting('role:members', membersOnly),
  can_manage_all_groups: permissionSetting('role:owners', somebody),
  can_manage_billing_group: permissionSetting('role:administrators', somebody),
  can_mention_many_users_group: permissionSetting('role:administrators', anybody),
  can_move_messages_between_channels_group: permissionSetting('role:members', membersOnly),
  can_move_messages_between_topics_group: permissionSetting('role:everyone', anybody),
  can_resolve_topics_group: permissionSetting('role:everyone', anybody),
  can_set_delete_message_policy_group: permissionSetting('role:moderators', membersOnly),
  can_set_topics_policy_group: permissionSetting('role:members', anybody),
  can_summarize_topics_group: permissionSetting('role:everyone', anybody),
  direct_message_initiator_group: permissionSetting('role:everyone', anybody),
  direct_message_permission_group: permissionSetting('role:everyone', anybody),
  workplace_users_group: permissionSetting('role:everyone', anybody),
} as const satisfies Record<string, RealmPermission>
export type RealmPermissionName = keyof typeof realmPermissions
export const realmPermissionNames = Object.keys(realmPermissions) as RealmPermissionName[]

const ofGroups = { default_for_system_groups: 'role:nobody' } as const

export const groupPermissions = {
  can_add_members_group: permissionSetting('group_creator', membersOnly, ofGroups),
  can_join_group: permissionSetting('role:nobody', membersOnly, ofGroups),
  can_leave_group: permissionSetting('role:everyone', anybody, ofGroups),
  can_manage_group: permissionSetting('group_creator', membersOnly, ofGroups),
  can_mention_group: permissionSetting('role:everyone', anybody, ofGroups),
  can_remove_members_group: permissionSetting('role:nobody', membersOnly, ofGroups),
} as const satisfies Record<GroupPermissionName, PermissionSetting>
