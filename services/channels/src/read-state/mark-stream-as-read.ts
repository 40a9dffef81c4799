import { markStreamAsRead as contract } from '@parley/contracts/channels/message-flags'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { markChannelRead } from './mark-channel-read.ts'

export const markStreamAsRead = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const reader = await readerOf(deps, caller)
  return transaction(async (tx) => {
    await markChannelRead(tx, caller, reader, params.stream_id)
    return {}
  })
})
