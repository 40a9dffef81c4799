/** What a draft may be; no I/O. */
import { limits, refuse } from '@parley/contracts'
import { messageContent } from '../messages/message-rules.ts'
import { truncated } from '../messages/text-length.ts'
import type { DraftContent } from './draft-store.ts'

/** As a client sends it. */
export type SentDraft = Omit<DraftContent, 'timestamp'> & { readonly timestamp?: number | undefined }

/**
 * The draft as it is kept: what does not belong to its type is left out, the time of the edit is filled in. `now` in UNIX
 * seconds.
 *
 * @throws ApiError BAD_REQUEST when the content could be no message, and for a channel draft without exactly one channel.
 */
export const keptDraft = (sent: SentDraft, now: number): DraftContent => {
  const { type } = sent
  if (type === 'stream' && sent.to.length !== 1) {
    throw refuse('BAD_REQUEST', 'Must specify exactly 1 channel ID for channel messages')
  }
  return {
    type,
    to: type === '' ? [] : [...new Set(sent.to)],
    topic: type === 'stream' ? truncated(sent.topic.toWellFormed(), limits.maxTopicLength) : '',
    content: messageContent(sent.content),
    timestamp: Math.floor(sent.timestamp ?? now),
  }
}
