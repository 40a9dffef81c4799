import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id } from '../objects/values.ts'

const place = { realm_id: Id, path: z.string() }

export const getThumbnailStatus = endpoint({
  method: 'GET',
  path: '/thumbnail/status/{realm_id}/{path*}',
  service: 'uploads',
  summary:
    'Whether there are small forms of an uploaded file: there are as soon as it is found to be a picture.',
  since: 479,
  access: 'authenticated',
  params: place,
  reply: { has_thumbnail: z.boolean() },
  errors: ['RESOURCE_NOT_FOUND'],
})

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
  params: place,
  reply: {},
  errors: ['ACCESS_DENIED', 'RESOURCE_NOT_FOUND'],
})
