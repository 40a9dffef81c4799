import { z } from 'zod'
import { event } from '../event.ts'
import { ChannelFolder, DefaultChannelGroup } from '../objects/channel-folder.ts'

export const channelFolderAdd = event({
  type: 'channel_folder',
  op: 'add',
  since: 389,
  fields: { channel_folder: ChannelFolder },
})

export const channelFolderUpdate = event({
  type: 'channel_folder',
  op: 'update',
  since: 389,
  fields: {
    channel_folder_id: z.int(),
    data: z
      .strictObject({
        name: z.string(),
        description: z.string(),
        rendered_description: z.string(),
        is_archived: z.boolean(),
      })
      .partial(),
  },
})

export const channelFolderReorder = event({
  type: 'channel_folder',
  op: 'reorder',
  since: 418,
  fields: { order: z.array(z.int()) },
})

/** All channels that newcomers are subscribed to. */
export const defaultStreamsEvent = event({
  type: 'default_streams',
  fields: { default_streams: z.array(z.int()) },
})

export const defaultStreamGroupsEvent = event({
  type: 'default_stream_groups',
  fields: { default_stream_groups: z.array(DefaultChannelGroup) },
})
