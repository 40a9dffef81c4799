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
