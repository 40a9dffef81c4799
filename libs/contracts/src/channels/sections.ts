import { z } from 'zod'
import { Channel, Subscription } from '../objects/channel.ts'
import { ChannelFolder, DefaultChannelGroup } from '../objects/channel-folder.ts'
import { MutedTopic, UserTopic } from '../objects/user-topic.ts'
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

/** Channels that the caller may know of. */
export const streamSection = section({
  service: 'channels',
  name: 'stream',
  fields: { streams: z.array(Channel) },
})

export const channelFoldersSection = section({
  service: 'channels',
  name: 'channel_folders',
  covers: ['channel_folder'],
  fields: { channel_folders: z.array(ChannelFolder) },
})

/** Empty for guests, who may not know what newcomers see. */
export const defaultStreamsSection = section({
  service: 'channels',
  name: 'default_streams',
  fields: { realm_default_streams: z.array(z.int()) },
})

export const defaultStreamGroupsSection = section({
  service: 'channels',
  name: 'default_stream_groups',
  fields: { realm_default_stream_groups: z.array(DefaultChannelGroup) },
})

export const userTopicSection = section({
  service: 'channels',
  name: 'user_topic',
  fields: { user_topics: z.array(UserTopic) },
})

/** Legacy form of what is muted in `user_topics`. */
export const mutedTopicsSection = section({
  service: 'channels',
  name: 'muted_topics',
  fields: { muted_topics: z.array(MutedTopic) },
})

export * from './personal-sections.ts'
