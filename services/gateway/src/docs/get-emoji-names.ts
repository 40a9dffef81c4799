import { getEmojiNames as contract } from '@parley/contracts/gateway/docs'
import { emojiApiDocument } from '@parley/markdown/emoji-table'
import { ownEndpoint } from '../own-endpoint.ts'
import { cachedFile } from './cached-file.ts'

const file = cachedFile('application/json', Buffer.from(JSON.stringify(emojiApiDocument())))

export const getEmojiNames = ownEndpoint(contract, async ({ visit }) =>
  file(visit.exchange.request.headers['if-none-match']),
)
