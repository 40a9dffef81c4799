import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { type GroupPermissionName, groupPermissionFields, UserGroup } from '../objects/user-group.ts'
import { GroupSettingUpdate, GroupSettingValue, Id } from '../objects/values.ts'
import {
  userGroupAdd,
  userGroupAddMembers,
  userGroupAddSubgroups,
  userGroupRemoveMembers,
  userGroupRemoveSubgroups,
  userGroupUpdate,
} from './group-events.ts'

const ids = z.array(z.int())

const names = Object.keys(groupPermissionFields) as GroupPermissionName[]
const permissions = <S extends z.ZodType>(value: S) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<GroupPermissionName, S>

export const listUserGroups = endpoint({
  method: 'GET',
  path: '/user_groups',
  service: 'identity',
  summary: 'The user groups of the organization, system groups included.',
  access: 'authenticated',
  params: { include_deactivated_groups: z.boolean().default(false) },
  reply: { user_groups: z.array(UserGroup) },
})

export const createUserGroup = endpoint({
  method: 'POST',
  path: '/user_groups/create',
  service: 'identity',
  summary: 'Create a user group; for members of the realm setting can_create_groups.',
  access: 'authenticated',
  params: {
    name: z.string(),
    description: z.string(),
    members: ids,
    subgroups: ids.optional(),
    ...permissions(GroupSettingValue.optional()),
  },
  reply: { group_id: z.int() },
  errors: ['SYSTEM_GROUP_REQUIRED'],
  emits: [userGroupAdd],
})

export const updateUserGroup = endpoint({
  method: 'PATCH',
  path: '/user_groups/{user_group_id}',
  service: 'identity',
  summary: 'Change or reactivate a user group; for those who may manage it.',
  access: 'authenticated',
  params: {
    user_group_id: Id,
    name: z.string().optional(),
    description: z.string().optional(),
    /** False brings a deactivated group back; true does nothing: deactivating has an endpoint of its own. */
    deactivated: z.boolean().optional(),
    ...permissions(GroupSettingUpdate.optional()),
  },
  reply: {},
  errors: ['EXPECTATION_MISMATCH', 'SYSTEM_GROUP_REQUIRED'],
  emits: [userGroupUpdate],
})

export const deactivateUserGroup = endpoint({
  method: 'POST',
  path: '/user_groups/{user_group_id}/deactivate',
  service: 'identity',
  summary: 'Deactivate a user group that is used nowhere; for those who may manage it.',
  since: 290,
  access: 'authenticated',
  params: { user_group_id: Id },
  reply: {},
  errors: ['CANNOT_DEACTIVATE_GROUP_IN_USE'],
  emits: [userGroupUpdate],
})

export const updateUserGroupMembers = endpoint({
  method: 'POST',
  path: '/user_groups/{user_group_id}/members',
  service: 'identity',
  summary: 'Add accounts and groups to a user group, or remove them.',
  access: 'authenticated',
  params: {
    user_group_id: Id,
    add: ids.optional(),
    delete: ids.optional(),
    add_subgroups: ids.optional(),
    delete_subgroups: ids.optional(),
  },
  reply: {},
  emits: [userGroupAddMembers, userGroupRemoveMembers, userGroupAddSubgroups, userGroupRemoveSubgroups],
})

export const listUserGroupMembers = endpoint({
  method: 'GET',
  path: '/user_groups/{user_group_id}/members',
  service: 'identity',
  summary: 'Active accounts in a user group, those of its subgroups included unless told otherwise.',
  access: 'authenticated',
  params: { user_group_id: Id, direct_member_only: z.boolean().default(false) },
  reply: { members: ids },
})

export const updateUserGroupSubgroups = endpoint({
  method: 'POST',
  path: '/user_groups/{user_group_id}/subgroups',
  service: 'identity',
  summary: 'Add groups to a user group, or remove them.',
  access: 'authenticated',
  params: { user_group_id: Id, add: ids.optional(), delete: ids.optional() },
  reply: {},
  emits: [userGroupAddMembers, userGroupRemoveMembers, userGroupAddSubgroups, userGroupRemoveSubgroups],
})

export const listUserGroupSubgroups = endpoint({
  method: 'GET',
  path: '/user_groups/{user_group_id}/subgroups',
  service: 'identity',
  summary: 'Groups in a user group, however deep unless told otherwise.',
  access: 'authenticated',
  params: { user_group_id: Id, direct_subgroup_only: z.boolean().default(false) },
  reply: { subgroups: ids },
})

export const getUserGroupMember = endpoint({
  method: 'GET',
  path: '/user_groups/{user_group_id}/members/{user_id}',
  service: 'identity',
  summary: 'Whether an account is in a user group.',
  access: 'authenticated',
  params: { user_group_id: Id, user_id: Id, direct_member_only: z.boolean().default(false) },
  reply: { is_user_group_member: z.boolean() },
})
