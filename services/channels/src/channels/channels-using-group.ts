import { channelsUsingGroup as contract } from '@parley/contracts/channels/internals'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import { internal } from '../room.ts'

const names = (value: GroupSettingValue, groupId: number): boolean =>
  typeof value === 'number' ? value === groupId : value.direct_subgroups.includes(groupId)

export const channelsUsingGroup = internal(contract, async ({ input, deps }) => {
  const { database } = deps
  const rows = await database.guard(database.sql<
    { id: number; group_settings: Record<string, GroupSettingValue> }[]
  >`
    SELECT id, group_settings FROM channels
    WHERE realm_id = ${input.realm_id}
      AND jsonb_path_exists(group_settings, '$.* ? (@ == $id || @.direct_subgroups[*] == $id)',
        jsonb_build_object('id', ${input.group_id}::bigint))
    ORDER BY id`)
  const channels = rows.map(({ id, group_settings }) => ({
    channel_id: id,
    settings: Object.keys(group_settings).filter((name) => names(group_settings[name]!, input.group_id)),
  }))
  return { channels: channels.filter(({ settings }) => settings.length > 0) }
})
