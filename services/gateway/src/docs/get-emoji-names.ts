import { createHash } from 'node:crypto'
import { getEmojiNames as contract } from '@parley/contracts/gateway/docs'
import { emojiApiDocument } from '@parley/markdown/emoji-table'
import { OwnStreamedReply, ownEndpoint } from '../own-endpoint.ts'

const type = 'application/json'
const body = Buffer.from(JSON.stringify(emojiApiDocument()))
const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`

/** The same for everybody until the next release, so that shared caches may keep it. */
const headers = ['etag', etag, 'cache-control', 'public, max-age=86400']

const isKnown = (sent: string | undefined): boolean =>
  sent?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*') ?? false

export const getEmojiNames = ownEndpoint(contract, async ({ visit }) => ({
  reply: isKnown(visit.exchange.request.headers['if-none-match'])
    ? new OwnStreamedReply(304, type, '')
    : new OwnStreamedReply(200, type, body),
  headers,
}))
