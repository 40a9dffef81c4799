import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { RealmEmoji } from '../objects/realm-emoji.ts'
import { realmEmojiChanged } from './emoji-events.ts'

export const listRealmEmoji = endpoint({
  method: 'GET',
  path: '/realm/emoji',
  service: 'uploads',
  summary: 'The custom emoji of the organization, deactivated ones included.',
  access: 'authenticated',
  params: {},
  reply: { emoji: z.record(z.string(), RealmEmoji) },
})

export const addRealmEmoji = endpoint({
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  service: 'uploads',
  summary: 'Add a custom emoji: a multipart form with exactly one image.',
  access: 'authenticated',
  body: 'stream',
  params: { emoji_name: z.string() },
  reply: {},
  errors: ['BAD_IMAGE'],
  emits: [realmEmojiChanged],
})

export const deactivateRealmEmoji = endpoint({
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  service: 'uploads',
  summary: 'Deactivate a custom emoji.',
  access: 'authenticated',
  params: { emoji_name: z.string() },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [realmEmojiChanged],
})
