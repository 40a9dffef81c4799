import { limits, refuse } from '@parley/contracts'
import { codePoints } from '@parley/contracts/objects/values'
import { messageTopic } from '../messages/message-rules.ts'

/**
 * A topic as messages have it, except that an over-long one is refused: no message can be in it.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandTopic = (sent: string): string => {
  if (codePoints(sent) > limits.maxTopicLength) {
    throw refuse('BAD_REQUEST', `topic is too long (limit: ${limits.maxTopicLength} characters)`)
  }
  return messageTopic(sent)
}
