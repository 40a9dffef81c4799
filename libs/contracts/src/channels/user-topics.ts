import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { VisibilityPolicy } from '../objects/user-topic.ts'
import { Id } from '../objects/values.ts'
import { mutedTopicsEvent, userTopicEvent } from './events.ts'

export const updateUserTopic = endpoint({
  method: 'POST',
  path: '/user_topics',
  service: 'channels',
  summary: 'Mute, unmute or follow a topic, or do none of it any more.',
  since: 170,
  access: 'authenticated',
  params: { stream_id: Id, topic: z.string(), visibility_policy: VisibilityPolicy },
  reply: {},
  emits: [userTopicEvent, mutedTopicsEvent],
})

export const updateMutedTopic = endpoint({
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  service: 'channels',
  summary: 'Mute a topic, or mute it no more; deprecated in favour of POST /user_topics.',
  access: 'authenticated',
  params: {
    stream_id: Id.optional(),
    /** Name of the channel; one of the two is needed. */
    stream: z.string().optional(),
    topic: z.string(),
    op: z.enum(['add', 'remove']),
  },
  reply: {},
  errors: ['INCOMPATIBLE_PARAMETERS'],
  emits: [userTopicEvent, mutedTopicsEvent],
})
