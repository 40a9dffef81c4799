import { refuse } from '@parley/contracts'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Person } from '../permissions/actor.ts'
import { isNamed } from '../permissions/find-actor.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import type { Deps, Queries } from '../room.ts'

/**
 * Holds what topics a channel takes, from whoever writes in it or moves messages there: topics may be demanded, forbidden,
 * or begun only by some.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandTopic = async (
  deps: Pick<Deps, 'users' | 'database'>,
  place: { readonly realm: Realm; readonly channel: ChannelRow; readonly topic: string },
  author: Person,
  sql: Queries,
): Promise<void> => {
  const { realm, channel, topic } = place
  const policy =
    channel.topics_policy === 'inherit' ? realmSetting(realm, 'topics_policy') : channel.topics_policy
  if (topic === '' && policy === 'disable_empty_topic') {
    throw refuse('BAD_REQUEST', 'Topics are required in this organization.')
  }
  if (topic !== '' && policy === 'empty_topic_only') {
    throw refuse('BAD_REQUEST', 'Only the general chat topic is allowed in this channel.')
  }
  if (await isNamed(deps, author, realm, channel.group_settings.can_create_topic_group)) return
  const [known] = await sql`
    SELECT FROM messages WHERE channel_id = ${channel.id} AND lower(topic) = lower(${topic}) LIMIT 1`
  if (known === undefined) {
    throw refuse('BAD_REQUEST', 'You do not have permission to create new topics in this channel.')
  }
}
