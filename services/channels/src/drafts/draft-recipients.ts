import { type KnownCaller, refuse } from '@parley/contracts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import type { Deps } from '../room.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'
import type { DraftContent } from './draft-store.ts'

/**
 * Holds drafts to channels that their author may know of and to people who exist; whether a message could be sent there
 * is asked when one is sent.
 *
 * @throws ApiError BAD_REQUEST, alike for what does not exist and for what is hidden.
 */
export const demandRecipients = async (
  deps: Pick<Deps, 'realms' | 'users' | 'channels' | 'database'>,
  { realm, user }: KnownCaller,
  drafts: readonly DraftContent[],
): Promise<void> => {
  const { realms, users, channels, database } = deps
  const channelIds = [...new Set(drafts.flatMap((draft) => (draft.type === 'stream' ? [draft.to[0]!] : [])))]
  const people = [...new Set(drafts.flatMap((draft) => (draft.type === 'private' ? draft.to : [])))]
  if (people.length > 0) {
    const known = await users.byIds(realm.id, people)
    const missing = people.find((id) => !known.has(id))
    if (missing !== undefined) throw refuse('BAD_REQUEST', `Invalid user ID ${missing}`)
  }
  if (channelIds.length === 0) return
  const actor = await findActor(deps, user, await realms.get(realm.id))
  const memberships = await database.guard(currentMemberships(database.sql, channelIds, [user.id]))
  const subscribed = new Set(memberships.map((pair) => pair.channel_id))
  for (const id of channelIds) {
    // What memory holds may be older than what is stored, and here nothing looks again afterwards.
    channels.forget(id)
    const channel = await channels.byId(realm.id, id)
    if (channel === undefined || !mayKnowChannel(actor, channel, subscribed.has(id))) {
      throw refuse('BAD_REQUEST', 'Invalid channel ID')
    }
  }
}
