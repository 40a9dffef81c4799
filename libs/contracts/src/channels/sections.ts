import { z } from 'zod'
import { Channel, Subscription } from '../objects/channel.ts'
import { section } from '../section.ts'

export * from './message-sections.ts'

export const messageSection = section({
  service: 'channels',
  name: 'message',
  /** -1 when the caller can see no message. */
  fields: { max_message_id: z.int() },
})

export const subscriptionSection = section({
  service: 'channels',
  name: 'subscription',
  covers: ['subscription', 'stream'],
  fields: {
    subscriptions: z.array(Subscription),
    unsubscribed: z.array(Subscription),
    never_subscribed: z.array(
      Channel.extend({
        subscribers: z.array(z.int()).optional(),
        partial_subscribers: z.array(z.int()).optional(),
      }),
    ),
  },
})

export * from './personal-sections.ts'
