import { listChannelTopics as contract } from '@parley/contracts/channels/channels'
import { emptyTopicDisplayName } from '@parley/contracts/objects/message'
import { demandChannel } from '../channels/demand-channel.ts'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { topicsOf, topicsSentTo } from './topic-store.ts'

export const listChannelTopics = endpoint(contract, async ({ params, caller, deps }) => {
  const { database } = deps
  const { sql } = database
  const realm = await deps.realms.get(caller.realm.id)
  const { person } = await readerOf(deps, caller)
  const standing = await database.guard(demandChannel(sql, realm, person, params.stream_id, 'read'))
  const { channel } = standing
  // A protected history shows only topics of what the reader received.
  const isProtected = channel.invite_only && !channel.history_public_to_subscribers
  const found = isProtected ? topicsSentTo(sql, channel, person.id) : topicsOf(sql, channel.id)
  const topics = await database.guard(found)
  const nameOf = (topic: string): string =>
    topic === '' && !params.allow_empty_topic_name ? emptyTopicDisplayName : topic
  return { topics: topics.map(({ max_id, topic }) => ({ max_id, name: nameOf(topic) })) }
})
