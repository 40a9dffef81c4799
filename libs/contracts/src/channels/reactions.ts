import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Reaction } from '../objects/message.ts'
import { Id } from '../objects/values.ts'
import { reactionAdd, reactionRemove } from './reaction-events.ts'
import { mutedTopicsEvent, userTopicEvent } from './user-topic-events.ts'

const Type = Reaction.shape.reaction_type

export const addReaction = endpoint({
  method: 'POST',
  path: '/messages/{message_id}/reactions',
  service: 'channels',
  summary: 'React to a message with an emoji.',
  access: 'authenticated',
  params: {
    message_id: Id,
    emoji_name: z.string(),
    emoji_code: z.string().optional(),
    reaction_type: Type.optional(),
  },
  reply: {},
  errors: ['REACTION_ALREADY_EXISTS'],
  emits: [reactionAdd, userTopicEvent, mutedTopicsEvent],
})

export const removeReaction = endpoint({
  method: 'DELETE',
  path: '/messages/{message_id}/reactions',
  service: 'channels',
  summary: 'Take back a reaction.',
  access: 'authenticated',
  params: {
    message_id: Id,
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: Type.optional(),
  },
  reply: {},
  errors: ['REACTION_DOES_NOT_EXIST'],
  emits: [reactionRemove],
})
