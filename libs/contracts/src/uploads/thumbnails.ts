import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id } from '../objects/values.ts'

export const getThumbnail = endpoint({
  method: 'GET',
  path: '/user_uploads/thumbnail/{realm_id}/{path*}',
  root: 'server',
  service: 'uploads',
  summary:
    'A small form of an uploaded picture; the last part of the path is one of `server_thumbnail_formats`.',
  since: 273,
  access: 'anyone',
  answer: 'stream',
  params: { realm_id: Id, path: z.string() },
  reply: {},
  errors: ['ACCESS_DENIED', 'RESOURCE_NOT_FOUND'],
})
