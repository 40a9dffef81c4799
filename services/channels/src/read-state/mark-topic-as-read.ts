import { markTopicAsRead as contract } from '@parley/contracts/channels/message-flags'
import { namedTopic } from '@parley/contracts/objects/message'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { markChannelRead } from './mark-channel-read.ts'

export const markTopicAsRead = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const reader = await readerOf(deps, caller)
  return transaction(async (tx) => {
    await markChannelRead(tx, caller, reader, params.stream_id, namedTopic(params.topic_name))
    return {}
  })
})
