import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

export const getChangelog = endpoint({
  method: 'GET',
  path: '/changelog',
  service: 'gateway',
  summary: 'What came with which feature level, the latest first.',
  access: 'anyone',
  params: {},
  reply: {
    feature_level: z.int(),
    levels: z.array(z.strictObject({ feature_level: z.int(), changes: z.array(z.string()) })),
  },
})

export const getEmojiNames = endpoint({
  method: 'GET',
  root: 'server',
  path: '/static/generated/emoji/emoji_api.json',
  service: 'gateway',
  summary: 'The names of all Unicode emoji by code, the canonical one first: `{"code_to_names": {...}}`.',
  access: 'anyone',
  doors: 'open',
  answer: 'stream',
  realmless: true,
  params: {},
  reply: {},
})

export const getLoadingPicture = endpoint({
  method: 'GET',
  root: 'server',
  path: '/static/images/loading/loader-black.svg',
  service: 'gateway',
  summary: 'What messages show in the place of a picture whose thumbnail is not made yet.',
  access: 'anyone',
  doors: 'open',
  answer: 'stream',
  realmless: true,
  params: {},
  reply: {},
})

export const getExtraEmojiPicture = endpoint({
  method: 'GET',
  root: 'server',
  path: '/static/generated/emoji/images/emoji/unicode/zulip.png',
  service: 'gateway',
  summary: "The picture of the one emoji that is neither Unicode nor an organization's own.",
  access: 'anyone',
  doors: 'open',
  answer: 'stream',
  realmless: true,
  params: {},
  reply: {},
})
