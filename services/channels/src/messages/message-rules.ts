/** What a message may be; no I/O. */
import { type CallerUser, limits, refuse } from '@parley/contracts'
import { namedTopic } from '@parley/contracts/objects/message'
import { codePoints } from '@parley/contracts/objects/values'
import { truncated } from './text-length.ts'

/**
 * The content as it is stored: without empty lines before it and space after it (space before it can mean a block of code).
 *
 * @throws ApiError BAD_REQUEST when it is empty, too long, or cannot be stored.
 */
export const messageContent = (sent: string): string => {
  if (sent.includes('\0')) throw refuse('BAD_REQUEST', 'Message must not contain null bytes')
  const content = sent
    .toWellFormed()
    .trimEnd()
    .replace(/^(?:[^\S\n]*\n)+/, '')
  if (content === '') throw refuse('BAD_REQUEST', 'Message must not be empty')
  if (content.length > limits.maxMessageLength && codePoints(content) > limits.maxMessageLength) {
    throw refuse('BAD_REQUEST', `Message too long (limit: ${limits.maxMessageLength} characters)`)
  }
  return content
}

/**
 * The topic as it is stored; an over-long one is shortened, not refused.
 *
 * @throws ApiError BAD_REQUEST when it is absent or has characters that are no text.
 */
export const messageTopic = (sent: string | undefined): string => {
  if (sent === undefined) throw refuse('BAD_REQUEST', 'Missing topic')
  const topic = namedTopic(sent)
  let position = 0
  for (const character of topic) {
    position += 1
    if (/[\p{Cc}\p{Cn}]/u.test(character)) {
      throw refuse('BAD_REQUEST', `Invalid character in topic, at position ${position}!`)
    }
  }
  return truncated(topic, limits.maxTopicLength)
}

/** Characters of HTML per character of content that the longest message may have. */
const renderedPerCharacter = 100

/**
 * Holds what is stored, announced and sent to every reader within bounds: ten thousand formulas or pictures of a few
 * characters each would be megabytes.
 *
 * @throws ApiError BAD_REQUEST when the HTML is too long.
 */
export const demandModestRendering = (html: string): void => {
  if (html.length > limits.maxMessageLength * renderedPerCharacter) {
    throw refuse('BAD_REQUEST', 'Unable to render message')
  }
}

/** Clients that are libraries for programs, by the beginning of their name. */
const programClients = /^(?:ZulipPython|zulip-js|API)/i

/**
 * Whether a message is read for its sender from the start: what a person wrote is, what a program sent in somebody's name
 * may be news to that person. `wish` is the parameter read_by_sender.
 */
export const isReadBySender = (
  wish: boolean | undefined,
  sender: Pick<CallerUser, 'bot_type'>,
  client: string,
): boolean => wish ?? (sender.bot_type === null && !programClients.test(client))
