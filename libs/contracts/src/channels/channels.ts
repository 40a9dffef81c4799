import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Channel } from '../objects/channel.ts'
import { Id } from '../objects/values.ts'
import { quotable } from '../parameter.ts'
import {
  ChannelDescription,
  changedChannel,
  changedPermissions,
  newChannel,
  tellings,
} from './channel-parameters.ts'
import {
  defaultStreamsEvent,
  streamCreate,
  streamDelete,
  streamUpdate,
  subscriptionAdd,
  subscriptionPeerAdd,
} from './events.ts'
import { deleteMessageEvent } from './message-change-events.ts'

/** A channel in a listing; what else is told of it depends on what was asked. */
const ListedChannel = Channel.extend({
  is_default: z.boolean().optional(),
})

export const listChannels = endpoint({
  method: 'GET',
  path: '/streams',
  service: 'channels',
  summary: 'Channels that the caller has access to.',
  access: 'authenticated',
  params: {
    include_public: z.boolean().default(true),
    include_web_public: z.boolean().default(false),
    include_subscribed: z.boolean().default(true),
    exclude_archived: z.boolean().default(true),
    /** Every channel that the caller may know of. */
    include_all: z.boolean().default(false),
    /** Tells in `is_default` whether newcomers are subscribed. */
    include_default: z.boolean().default(false),
    /** For bots: also what their owner is subscribed to. */
    include_owner_subscribed: z.boolean().default(false),
    /** Every channel that the caller may read in. */
    include_can_access_content: z.boolean().default(false),
    /** Deprecated form of include_all, for administrators. */
    include_all_active: z.boolean().default(false),
  },
  reply: { streams: z.array(ListedChannel) },
})

export const getChannel = endpoint({
  method: 'GET',
  path: '/streams/{stream_id}',
  service: 'channels',
  summary: 'One channel.',
  since: 132,
  access: 'authenticated',
  params: { stream_id: Id },
  reply: { stream: Channel },
})

export const getChannelId = endpoint({
  method: 'GET',
  path: '/get_stream_id',
  service: 'channels',
  summary: 'The ID of the channel with a name.',
  access: 'authenticated',
  params: { stream: z.string() },
  reply: { stream_id: z.int() },
})

export const createChannel = endpoint({
  method: 'POST',
  path: '/channels/create',
  service: 'channels',
  summary: 'Create a channel with its first subscribers.',
  since: 417,
  access: 'authenticated',
  params: {
    name: z.string(),
    description: ChannelDescription.default(''),
    subscribers: z.array(z.int()).max(20_000),
    ...newChannel,
    ...tellings,
  },
  reply: { id: z.int() },
  errors: ['UNAUTHORIZED_PRINCIPAL', 'SYSTEM_GROUP_REQUIRED'],
  emits: [streamCreate, subscriptionAdd, subscriptionPeerAdd, defaultStreamsEvent],
})

export const updateChannel = endpoint({
  method: 'PATCH',
  path: '/streams/{stream_id}',
  service: 'channels',
  summary: 'Change a channel; for those who may administer it.',
  access: 'authenticated',
  params: {
    stream_id: Id,
    description: quotable(ChannelDescription).optional(),
    new_name: quotable(z.string()).optional(),
    is_private: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    ...changedChannel,
    ...changedPermissions,
  },
  reply: {},
  errors: [
    'UNAUTHORIZED_PRINCIPAL',
    'CANNOT_ADMINISTER_CHANNEL',
    'EXPECTATION_MISMATCH',
    'SYSTEM_GROUP_REQUIRED',
  ],
  emits: [
    streamCreate,
    streamUpdate,
    streamDelete,
    subscriptionAdd,
    subscriptionPeerAdd,
    defaultStreamsEvent,
  ],
})

export const archiveChannel = endpoint({
  method: 'DELETE',
  path: '/streams/{stream_id}',
  service: 'channels',
  summary: 'Archive a channel; for those who may administer it.',
  access: 'authenticated',
  params: { stream_id: Id },
  reply: {},
  errors: ['CANNOT_ADMINISTER_CHANNEL'],
  emits: [streamUpdate, subscriptionAdd, subscriptionPeerAdd, defaultStreamsEvent],
})

export const listChannelMembers = endpoint({
  method: 'GET',
  path: '/streams/{stream_id}/members',
  service: 'channels',
  summary: 'The active subscribers of a channel.',
  access: 'authenticated',
  params: { stream_id: Id },
  reply: { subscribers: z.array(z.int()) },
})

export const getChannelEmail = endpoint({
  method: 'GET',
  path: '/streams/{stream_id}/email_address',
  service: 'channels',
  summary: 'The address at which mail becomes messages of a channel; empty while the server takes no mail.',
  since: 226,
  access: 'authenticated',
  params: {
    stream_id: Id,
    /** Whose name the messages bear: the caller, or a bot of the caller. */
    sender_id: Id.optional(),
  },
  reply: { email: z.string() },
})

export const listChannelTopics = endpoint({
  method: 'GET',
  path: '/users/me/{stream_id}/topics',
  service: 'channels',
  summary: 'The topics of a channel, newest first.',
  access: 'spectator',
  params: { stream_id: Id, allow_empty_topic_name: z.boolean().default(false) },
  reply: { topics: z.array(z.strictObject({ max_id: z.int(), name: z.string() })) },
})

export const deleteTopic = endpoint({
  method: 'POST',
  path: '/streams/{stream_id}/delete_topic',
  service: 'channels',
  summary:
    'Delete the messages of a topic, newest first; `complete` is false when there was not time for all.',
  access: 'authenticated',
  params: { stream_id: Id, topic_name: z.string() },
  reply: { complete: z.boolean() },
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [deleteMessageEvent, streamUpdate],
})
