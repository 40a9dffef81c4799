import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Subscription } from '../objects/channel.ts'
import { Id } from '../objects/values.ts'
import { either } from '../parameter.ts'
import { ChannelDescription, IncludeSubscribers, newChannel, tellings } from './channel-parameters.ts'
import {
  defaultStreamsEvent,
  streamCreate,
  streamDelete,
  subscriptionAdd,
  subscriptionPeerAdd,
  subscriptionPeerRemove,
  subscriptionRemove,
  subscriptionUpdate,
  updateMessageFlagsAdd,
} from './events.ts'

/** Of a color text, of all other properties boolean; null where the setting may be inherited. */
const PropertyValue = z.union([z.boolean(), z.string(), z.null()])

const Principals = either(
  z.union([
    z.array(z.int()).max(limits.maxPrincipalsPerRequest),
    z.array(z.string()).max(limits.maxPrincipalsPerRequest),
  ]),
)

const channels = <Wish extends z.ZodType>(wish: Wish) => z.array(wish).max(limits.maxChannelsPerRequest)

/** Names of channels by user ID as text. */
const NamesByUser = z.record(z.string(), z.array(z.string()))

const joined = { subscribed: NamesByUser, already_subscribed: NamesByUser }
/** Whether those whom somebody else subscribed are told so; absent where that was not wished (level 397). */
const told = { new_subscription_messages_sent: z.boolean().optional() }
const left = { removed: z.array(z.string()), not_removed: z.array(z.string()) }

const wishes = z.object({
  name: z.string(),
  description: ChannelDescription.optional(),
  color: z.string().optional(),
})

export const addSubscriptions = endpoint({
  method: 'POST',
  path: '/users/me/subscriptions',
  service: 'channels',
  summary: 'Subscribe the caller, or others, to channels; channels that do not exist are created.',
  access: 'authenticated',
  params: {
    subscriptions: channels(wishes),
    principals: Principals.optional(),
    authorization_errors_fatal: z.boolean().default(true),
    ...newChannel,
    ...tellings,
  },
  reply: { ...joined, unauthorized: z.array(z.string()).optional(), ...told },
  errors: ['UNAUTHORIZED_PRINCIPAL', 'SYSTEM_GROUP_REQUIRED'],
  emits: [streamCreate, subscriptionAdd, subscriptionPeerAdd, defaultStreamsEvent],
})

export const removeSubscriptions = endpoint({
  method: 'DELETE',
  path: '/users/me/subscriptions',
  service: 'channels',
  summary: 'Unsubscribe the caller, or others, from channels.',
  access: 'authenticated',
  params: { subscriptions: channels(z.string()), principals: Principals.optional() },
  reply: left,
  errors: ['STREAM_DOES_NOT_EXIST'],
  emits: [subscriptionRemove, subscriptionPeerRemove, streamDelete, updateMessageFlagsAdd],
})

export const updateSubscriptions = endpoint({
  method: 'PATCH',
  path: '/users/me/subscriptions',
  service: 'channels',
  summary: 'Subscribe the caller to some channels and unsubscribe from others, at once.',
  access: 'authenticated',
  params: {
    add: channels(wishes).optional(),
    delete: channels(z.string()).optional(),
  },
  reply: { ...joined, ...left, ...told },
  errors: ['UNAUTHORIZED_PRINCIPAL', 'SYSTEM_GROUP_REQUIRED', 'STREAM_DOES_NOT_EXIST'],
  emits: [
    streamCreate,
    subscriptionAdd,
    subscriptionPeerAdd,
    subscriptionRemove,
    subscriptionPeerRemove,
    streamDelete,
    defaultStreamsEvent,
    updateMessageFlagsAdd,
  ],
})

export const listSubscriptions = endpoint({
  method: 'GET',
  path: '/users/me/subscriptions',
  service: 'channels',
  summary: 'The channels that the caller is subscribed to.',
  access: 'authenticated',
  params: { include_subscribers: IncludeSubscribers.default(false) },
  reply: { subscriptions: z.array(Subscription) },
})

export const updateSubscriptionProperties = endpoint({
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  service: 'channels',
  summary: 'Change what the caller set for subscribed channels.',
  access: 'authenticated',
  params: {
    subscription_data: channels(
      z.object({
        stream_id: z.int(),
        property: z.string(),
        value: PropertyValue,
      }),
    ),
  },
  reply: {},
  emits: [subscriptionUpdate],
})

export const updateSubscriptionProperty = endpoint({
  method: 'PATCH',
  path: '/users/me/subscriptions/{stream_id}',
  service: 'channels',
  summary: 'Change one thing that the caller set for one subscribed channel.',
  access: 'authenticated',
  params: { stream_id: Id, property: z.string(), value: either(PropertyValue) },
  reply: {},
  emits: [subscriptionUpdate],
})

export const getSubscriptionStatus = endpoint({
  method: 'GET',
  path: '/users/{user_id}/subscriptions/{stream_id}',
  service: 'channels',
  summary: 'Whether an account is subscribed to a channel.',
  access: 'authenticated',
  params: { user_id: Id, stream_id: Id },
  reply: { is_subscribed: z.boolean() },
})

export const listUserChannels = endpoint({
  method: 'GET',
  path: '/users/{user_id}/channels',
  service: 'channels',
  summary:
    'The channels that an account is subscribed to; for administrators, the account and the owner of a bot.',
  since: 440,
  access: 'authenticated',
  params: { user_id: Id },
  reply: { subscribed_channel_ids: z.array(z.int()) },
})
