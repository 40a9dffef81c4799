import type { ChannelPermission } from '@parley/contracts/objects/channel'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { GroupSettings } from '../channels/channel-store.ts'
import { deactivatedAmong } from '../directory/user-store.ts'
import type { Queries } from '../room.ts'

/** The accounts that a setting names one by one. */
export const directMembers = (value: GroupSettingValue): readonly number[] =>
  typeof value === 'number' ? [] : value.direct_members

const namedIn = (settings: GroupSettings): number[] => Object.values(settings).flatMap(directMembers)

/**
 * Channels with their settings as they are shown: deactivated accounts are stored in them, for when they come back, and
 * named to nobody. Not to be written back.
 */
export const withShownSettings = async <C extends { readonly group_settings: GroupSettings }>(
  sql: Queries,
  channels: readonly C[],
): Promise<C[]> => {
  const named = new Set(channels.flatMap((one) => namedIn(one.group_settings)))
  if (named.size === 0) return [...channels]
  const gone = new Set(await deactivatedAmong(sql, [...named]))
  if (gone.size === 0) return [...channels]
  const isGone = (id: number): boolean => gone.has(id)
  const shown = (value: GroupSettingValue): GroupSettingValue =>
    typeof value === 'number' || !value.direct_members.some(isGone)
      ? value
      : { ...value, direct_members: value.direct_members.filter((id) => !isGone(id)) }
  return channels.map((channel) => {
    const settings = Object.entries(channel.group_settings)
    if (!settings.some(([, value]) => directMembers(value).some(isGone))) return channel
    const group_settings = Object.fromEntries(settings.map(([name, value]) => [name, shown(value)]))
    return { ...channel, group_settings: group_settings as Record<ChannelPermission, GroupSettingValue> }
  })
}
