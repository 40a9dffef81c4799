import { type KnownCaller, refuse } from '@parley/contracts'
import { channelForTask } from '@parley/contracts/channels/notice-questions'
import { channelSettingNames } from '@parley/contracts/identity/realm-settings'
import type { Deps } from '../room.ts'

/**
 * Holds settings that give a channel a task to channels that are there, and that the caller may know of.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandChannels = async (
  { ask }: Pick<Deps, 'ask'>,
  { realm, user }: KnownCaller,
  sent: Record<string, unknown>,
): Promise<void> => {
  for (const name of channelSettingNames) {
    const channel_id = sent[name]
    if (typeof channel_id !== 'number' || channel_id === -1) continue
    const { channel } = await ask(channelForTask, { realm_id: realm.id, user, channel_id })
    if (channel === null || channel.is_archived) throw refuse('BAD_REQUEST', 'Invalid channel ID')
    if (name === 'moderation_request_channel_id' && !channel.invite_only) {
      throw refuse('BAD_REQUEST', 'Moderation request channel must be private.')
    }
  }
}
