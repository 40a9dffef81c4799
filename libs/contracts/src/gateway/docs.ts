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

/** What stands ready for everybody, whatever the organization. */
const asset = {
  method: 'GET',
  root: 'server',
  service: 'gateway',
  access: 'anyone',
  doors: 'open',
  answer: 'stream',
  realmless: true,
  params: {},
  reply: {},
} as const

export const getEmojiNames = endpoint({
  ...asset,
  path: '/static/generated/emoji/emoji_api.json',
  summary: 'The names of all Unicode emoji by code, the canonical one first: `{"code_to_names": {...}}`.',
})

export const getLoadingPicture = endpoint({
  ...asset,
  path: '/static/images/loading/loader-black.svg',
  summary: 'What messages show in the place of a picture whose thumbnail is not made yet.',
})

export const getExtraEmojiPicture = endpoint({
  ...asset,
  path: '/static/generated/emoji/images/emoji/unicode/zulip.png',
  summary: "The picture of the one emoji that is neither Unicode nor an organization's own.",
})
