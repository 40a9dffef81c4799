/** Which changes of a channel a request asks for, and whether they are allowed; no I/O. */
import { type ParamsOf, refuse } from '@parley/contracts'
import type { updateChannel } from '@parley/contracts/channels/channels'
import { channelPermissionNames } from '@parley/contracts/channels/permission-settings'
import type { ChannelPermission } from '@parley/contracts/objects/channel'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayReadChannel } from '../permissions/channel-permissions.ts'
import { mayInRealm, realmSetting } from '../permissions/realm-permissions.ts'
import { isSameSetting } from '../permissions/setting-values.ts'
import { demandMaySet, demandTopicsOfAll } from './channel-creation-rules.ts'
import type { ChannelChanges, ChannelRow, GroupSettings } from './channel-store.ts'
import type { StandingInChannel } from './demand-channel.ts'

export type ChannelUpdate = Omit<ParamsOf<typeof updateChannel>, 'stream_id'>

/** Properties that are stored as they are sent. */
const plain = ['message_retention_days', 'topics_policy', 'folder_id', 'default_push_notifications'] as const

/**
 * What differs from how the channel is now; `shown` are its settings as clients see them. `values` are the group-setting values of the request in normal form, and
 * `described` its description.
 *
 * @throws ApiError EXPECTATION_MISMATCH; BAD_REQUEST for what nobody may ask for.
 */
export const channelChanges = (
  channel: ChannelRow,
  shown: GroupSettings,
  update: ChannelUpdate,
  values: Partial<Record<ChannelPermission, GroupSettingValue>>,
  described: Pick<ChannelRow, 'description' | 'rendered_description'> | undefined,
): ChannelChanges => {
  const changes: ChannelChanges = {}
  if (update.new_name !== undefined && update.new_name !== channel.name) changes.name = update.new_name
  if (described !== undefined && described.description !== channel.description)
    Object.assign(changes, described)
  if (update.is_archived !== undefined && update.is_archived !== channel.is_archived) {
    changes.is_archived = update.is_archived
  }
  for (const name of plain) {
    const value = update[name]
    if (value !== undefined && value !== channel[name]) Object.assign(changes, { [name]: value })
  }
  Object.assign(changes, privacyChanges(channel, update), permissionChanges(channel, shown, update, values))
  return changes
}

const privacyChanges = (channel: ChannelRow, update: ChannelUpdate): ChannelChanges => {
  const { is_private, is_web_public, history_public_to_subscribers } = update
  if (
    is_private === undefined &&
    is_web_public === undefined &&
    history_public_to_subscribers === undefined
  ) {
    return {}
  }
  const wished = {
    invite_only: is_private ?? (is_web_public === true ? false : channel.invite_only),
    is_web_public: is_web_public ?? (is_private === true ? false : channel.is_web_public),
    history_public_to_subscribers: history_public_to_subscribers ?? channel.history_public_to_subscribers,
  }
  if (wished.invite_only && wished.is_web_public) throw refuse('BAD_REQUEST', 'Invalid parameters')
  if (!wished.invite_only) {
    if (history_public_to_subscribers === false) throw refuse('BAD_REQUEST', 'Invalid parameters')
    wished.history_public_to_subscribers = true
  }
  const changed = Object.entries(wished).filter(
    ([name, value]) => channel[name as keyof typeof wished] !== value,
  )
  return Object.fromEntries(changed)
}

const permissionChanges = (
  channel: ChannelRow,
  shown: GroupSettings,
  update: ChannelUpdate,
  values: Partial<Record<ChannelPermission, GroupSettingValue>>,
): ChannelChanges => {
  const group_settings = { ...channel.group_settings }
  let hasChanged = false
  for (const name of channelPermissionNames) {
    const value = values[name]
    if (value === undefined) continue
    const believed = update[name]?.old
    if (believed !== undefined && !isSameSetting(believed, shown[name])) {
      throw refuse('EXPECTATION_MISMATCH', "'old' value does not match the expected value.")
    }
    if (isSameSetting(value, shown[name])) continue
    group_settings[name] = value
    hasChanged = true
  }
  return hasChanged ? { group_settings } : {}
}

/** Changes that give or take access to what is written in the channel: for those who have it themselves. */
const givesAccess = (changes: ChannelChanges, channel: ChannelRow): boolean =>
  changes.invite_only !== undefined ||
  changes.is_web_public !== undefined ||
  changes.history_public_to_subscribers !== undefined ||
  (['can_add_subscribers_group', 'can_subscribe_group'] as const).some((name) =>
    isChanged(changes, channel, name),
  )

const isChanged = (changes: ChannelChanges, channel: ChannelRow, name: ChannelPermission): boolean =>
  changes.group_settings !== undefined &&
  !isSameSetting(changes.group_settings[name], channel.group_settings[name])

/**
 * Holds what administering the channel is not enough for.
 *
 * @throws ApiError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export const demandMayChange = (
  actor: Actor,
  realm: Realm,
  { channel, isSubscribed }: StandingInChannel,
  changes: ChannelChanges,
  update: ChannelUpdate,
): void => {
  if (givesAccess(changes, channel) && !mayReadChannel(actor, channel, isSubscribed)) {
    throw refuse('BAD_REQUEST', 'Channel content access is required.')
  }
  demandMaySet(actor, realm, {
    is_default_stream: update.is_default_stream !== undefined,
    default_push_notifications: changes.default_push_notifications !== undefined,
    message_retention_days: changes.message_retention_days !== undefined,
    topics_policy: changes.topics_policy !== undefined,
    deletion:
      isChanged(changes, channel, 'can_delete_any_message_group') ||
      isChanged(changes, channel, 'can_delete_own_message_group'),
  })
  const after = { ...channel, ...changes }
  if (changes.history_public_to_subscribers === false || changes.group_settings !== undefined) {
    demandTopicsOfAll(realm, after)
  }
  if (changes.invite_only === false && realmSetting(realm, 'moderation_request_channel_id') === channel.id) {
    throw refuse('BAD_REQUEST', 'A moderation request channel cannot be public.')
  }
  if (changes.invite_only === undefined && changes.is_web_public === undefined) return
  const permission = after.is_web_public
    ? 'can_create_web_public_channel_group'
    : after.invite_only
      ? 'can_create_private_channel_group'
      : 'can_create_public_channel_group'
  if (!mayInRealm(actor, realm, permission)) throw refuse('BAD_REQUEST', 'Insufficient permission')
  if (changes.is_web_public === true && !realmSetting(realm, 'enable_spectator_access')) {
    throw refuse('BAD_REQUEST', 'Web-public channels are not enabled.')
  }
}

/** Whether some of the changes let other people know of the channel than before. */
export const changesSight = (changes: ChannelChanges, channel: ChannelRow): boolean =>
  changes.invite_only !== undefined ||
  changes.is_web_public !== undefined ||
  (channel.invite_only && changes.group_settings !== undefined)
