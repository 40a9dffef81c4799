import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Channel, Subscription } from '../objects/channel.ts'
import { codePoints } from '../objects/values.ts'
import { either } from '../parameter.ts'
import { streamCreate, subscriptionAdd, subscriptionPeerAdd } from './events.ts'

const Principals = either(z.union([z.array(z.int()), z.array(z.string())]))

const ChannelDescription = z
  .string()
  .refine((text) => codePoints(text) <= limits.maxChannelDescriptionLength, {
    message: `description is too long (limit: ${limits.maxChannelDescriptionLength} characters)`,
  })

export const addSubscriptions = endpoint({
  method: 'POST',
  path: '/users/me/subscriptions',
  service: 'channels',
  summary: 'Subscribe the caller, or others, to channels; channels that do not exist are created.',
  access: 'authenticated',
  params: {
    subscriptions: z.array(z.object({ name: z.string(), description: ChannelDescription.optional() })),
    principals: Principals.optional(),
    authorization_errors_fatal: z.boolean().default(true),
    invite_only: z.boolean().default(false),
    history_public_to_subscribers: z.boolean().optional(),
  },
  reply: {
    subscribed: z.record(z.string(), z.array(z.string())),
    already_subscribed: z.record(z.string(), z.array(z.string())),
    unauthorized: z.array(z.string()).optional(),
  },
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [streamCreate, subscriptionAdd, subscriptionPeerAdd],
})

export const listSubscriptions = endpoint({
  method: 'GET',
  path: '/users/me/subscriptions',
  service: 'channels',
  summary: 'The channels that the caller is subscribed to.',
  access: 'authenticated',
  params: { include_subscribers: z.union([z.boolean(), z.literal('partial')]).default(false) },
  reply: { subscriptions: z.array(Subscription) },
})

export const listChannels = endpoint({
  method: 'GET',
  path: '/streams',
  service: 'channels',
  summary: 'Channels that the caller has access to.',
  access: 'authenticated',
  params: {
    include_public: z.boolean().default(true),
    include_subscribed: z.boolean().default(true),
    exclude_archived: z.boolean().default(true),
    include_all: z.boolean().default(false),
  },
  reply: { streams: z.array(Channel) },
})
