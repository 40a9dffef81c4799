import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id } from '../objects/values.ts'

export const getPublicImage = endpoint({
  method: 'GET',
  path: '/user_avatars/{realm_id}/{path*}',
  root: 'server',
  doors: 'open',
  service: 'uploads',
  summary: 'A picture that anybody may have: of an account, or a custom emoji.',
  access: 'anyone',
  answer: 'stream',
  params: { realm_id: Id, path: z.string() },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
})
