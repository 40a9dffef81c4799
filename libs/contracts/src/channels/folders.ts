import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { ChannelFolder } from '../objects/channel-folder.ts'
import { Id } from '../objects/values.ts'
import { channelFolderAdd, channelFolderReorder, channelFolderUpdate } from './events.ts'

export const createChannelFolder = endpoint({
  method: 'POST',
  path: '/channel_folders/create',
  service: 'channels',
  summary: 'Create a channel folder.',
  since: 389,
  access: 'administrator',
  params: { name: z.string(), description: z.string() },
  reply: { channel_folder_id: z.int() },
  emits: [channelFolderAdd],
})

export const listChannelFolders = endpoint({
  method: 'GET',
  path: '/channel_folders',
  service: 'channels',
  summary: 'The channel folders of the organization, in their order.',
  since: 389,
  access: 'authenticated',
  params: { include_archived: z.boolean().default(false) },
  reply: { channel_folders: z.array(ChannelFolder) },
})

export const reorderChannelFolders = endpoint({
  method: 'PATCH',
  path: '/channel_folders',
  service: 'channels',
  summary: 'Set the order of the channel folders; every one has to be named, archived ones too.',
  since: 414,
  access: 'administrator',
  params: { order: z.array(z.int()) },
  reply: {},
  emits: [channelFolderReorder],
})

export const updateChannelFolder = endpoint({
  method: 'PATCH',
  path: '/channel_folders/{channel_folder_id}',
  service: 'channels',
  summary: 'Change, archive or bring back a channel folder.',
  since: 389,
  access: 'administrator',
  params: {
    channel_folder_id: Id,
    name: z.string().optional(),
    description: z.string().optional(),
    is_archived: z.boolean().optional(),
  },
  reply: {},
  emits: [channelFolderUpdate],
})
