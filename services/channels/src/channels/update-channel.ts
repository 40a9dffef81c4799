import { updateChannel as contract } from '@parley/contracts/channels/channels'
import {
  channelPermissionNames,
  channelPermissionSettings,
} from '@parley/contracts/channels/permission-settings'
import type { ChannelPermission } from '@parley/contracts/objects/channel'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import { isUniqueViolation } from '@parley/db'
import { announceDefaultChannels } from '../default-channels/default-channel-announcements.ts'
import { addDefault, defaultChannels, removeDefault } from '../default-channels/default-channel-store.ts'
import { demandUsableFolder } from '../folders/folder-store.ts'
import { demandSender } from '../messages/send-text.ts'
import { mayAdministerChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { demandSettingValue } from '../permissions/setting-values.ts'
import { withShownSettings } from '../permissions/shown-settings.ts'
import { endpoint } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { viewersOf } from '../subscriptions/subscription-store.ts'
import { demandChannelName, describedAs } from '../subscriptions/wanted-channels.ts'
import { announceArchival, announceChanges } from './channel-announcements.ts'
import { tellOfChanges, writeFarewell } from './channel-messages.ts'
import { changeChannel, hasOnlyEmptyTopic } from './channel-store.ts'
import { changesSight, channelChanges, demandMayChange } from './channel-update-rules.ts'
import { demandChannel } from './demand-channel.ts'

export const updateChannel = endpoint(contract, async ({ params, caller, deps, transaction, refuse }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const { stream_id, ...sent } = params
  const update = {
    ...sent,
    ...(sent.new_name !== undefined && { new_name: demandChannelName(sent.new_name) }),
  }
  const described =
    sent.description === undefined ? undefined : await describedAs(deps, caller.realm, sent.description)
  const values: Partial<Record<ChannelPermission, GroupSettingValue>> = {}
  for (const name of channelPermissionNames) {
    const wish = sent[name]
    if (wish === undefined) continue
    values[name] = await demandSettingValue(deps, realm.id, name, channelPermissionSettings[name], wish.new)
  }
  const actor = await findActor(deps, caller.user, realm)
  const by = await demandSender(deps, realm.id, caller.user.id)
  const sayFarewell = sent.is_archived === true ? await writeFarewell(deps, caller, realm) : undefined
  const work = transaction(async (tx) => {
    const { sql } = tx
    const standing = await demandChannel(sql, realm, actor, stream_id, 'lock')
    const { channel } = standing
    if (!mayAdministerChannel(actor, channel)) {
      throw refuse('CANNOT_ADMINISTER_CHANNEL', 'You do not have permission to administer this channel.')
    }
    const [shown] = await withShownSettings(sql, [channel])
    const changes = channelChanges(channel, shown!.group_settings, update, values, described)
    demandMayChange(actor, realm, standing, changes, update)
    const after = { ...channel, ...changes }
    const isDefault = (await defaultChannels(sql, realm.id)).includes(channel.id)
    if (after.invite_only && (update.is_default_stream ?? isDefault)) {
      throw refuse('BAD_REQUEST', 'A default channel cannot be private.')
    }
    if (changes.folder_id != null) await demandUsableFolder(sql, realm.id, changes.folder_id)

    const hasNewSight = changesSight(changes, channel)
    const before = Object.keys(changes).length > 0 ? await viewersOf(sql, realm, channel) : []
    if (Object.keys(changes).length > 0) {
      const changed = await changeChannel(sql, channel, changes)
      if (changes.topics_policy === 'empty_topic_only') {
        // No message is on its way then: the next one finds the new version of the channel.
        await lockRealmOrder(sql, realm.id)
        if (!(await hasOnlyEmptyTopic(sql, channel.id)))
          throw refuse(
            'BAD_REQUEST',
            'To enable this policy, all messages have to be in the general chat topic.',
          )
      }
      const viewers = hasNewSight ? await viewersOf(sql, realm, changed) : before
      await announceChanges(tx, realm, { channel, changed, changes, before, viewers })
      if (changes.is_archived !== undefined) await announceArchival(tx, realm, changed, viewers)
      await tellOfChanges(tx, deps, { realm, by, channel }, changes)
      if (changes.is_archived === true) await sayFarewell?.(tx, changed)
    }
    if (changes.is_archived === true && isDefault) await removeDefault(sql, realm.id, channel.id)
    const isToBeDefault = changes.is_archived === true ? false : update.is_default_stream
    if (isToBeDefault === true && !isDefault) await addDefault(sql, realm.id, channel.id)
    if (isToBeDefault === false && isDefault) await removeDefault(sql, realm.id, channel.id)
    if (isToBeDefault !== undefined && isToBeDefault !== isDefault)
      await announceDefaultChannels(tx, realm.id)
    tx.afterCommit(() => deps.channels.forget(channel.id))
    return {}
  })
  try {
    return await work
  } catch (error) {
    if (isUniqueViolation(error, 'channels_by_name')) {
      throw refuse('BAD_REQUEST', 'Channel name is already in use.')
    }
    throw error
  }
})
