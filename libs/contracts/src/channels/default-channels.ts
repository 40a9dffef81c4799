import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id } from '../objects/values.ts'
import { defaultStreamGroupsEvent, defaultStreamsEvent } from './events.ts'

export const addDefaultChannel = endpoint({
  method: 'POST',
  path: '/default_streams',
  service: 'channels',
  summary: 'Let newcomers be subscribed to a channel.',
  access: 'administrator',
  params: { stream_id: Id },
  reply: {},
  emits: [defaultStreamsEvent],
})

export const removeDefaultChannel = endpoint({
  method: 'DELETE',
  path: '/default_streams',
  service: 'channels',
  summary: 'Let newcomers be subscribed to a channel no more.',
  access: 'administrator',
  params: { stream_id: Id },
  reply: {},
  emits: [defaultStreamsEvent],
})

export const createDefaultChannelGroup = endpoint({
  method: 'POST',
  path: '/default_stream_groups/create',
  service: 'channels',
  summary: 'Create a named set of channels for newcomers.',
  access: 'administrator',
  params: { group_name: z.string(), description: z.string(), stream_names: z.array(z.string()) },
  reply: {},
  emits: [defaultStreamGroupsEvent],
})

export const updateDefaultChannelGroup = endpoint({
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}',
  service: 'channels',
  summary: 'Rename or describe a set of channels for newcomers.',
  access: 'administrator',
  params: {
    group_id: Id,
    new_group_name: z.string().optional(),
    new_description: z.string().optional(),
  },
  reply: {},
  emits: [defaultStreamGroupsEvent],
})

export const deleteDefaultChannelGroup = endpoint({
  method: 'DELETE',
  path: '/default_stream_groups/{group_id}',
  service: 'channels',
  summary: 'Delete a set of channels for newcomers.',
  access: 'administrator',
  params: { group_id: Id },
  reply: {},
  emits: [defaultStreamGroupsEvent],
})

export const updateDefaultChannelGroupMembers = endpoint({
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}/streams',
  service: 'channels',
  summary: 'Add channels to a set for newcomers, or take them out.',
  access: 'administrator',
  params: { group_id: Id, op: z.enum(['add', 'remove']), stream_names: z.array(z.string()) },
  reply: {},
  emits: [defaultStreamGroupsEvent],
})
