import { buffer } from 'node:stream/consumers'
import { getPublicImage as contract } from '@parley/contracts/uploads/images'
import { StreamedReply } from '@parley/kit'
import { generatedAvatar } from '../avatars/generated-avatar.ts'
import { endpoint } from '../room.ts'
import { safeContentHeaders } from '../serving/content-headers.ts'
import { namesTag } from '../serving/range-rules.ts'
import { pictureAt } from './public-image-store.ts'

/** Seconds for which a picture is kept whose address names its version, and one whose address does not. */
const longCaching = 'public, immutable, max-age=31536000'
const shortCaching = 'public, max-age=300'

export const getPublicImage = endpoint(contract, async ({ params, deps, request, refuse }) => {
  const { sql } = deps.database
  const path = `${params.realm_id}/${params.path}`
  const found = await pictureAt(sql, path)
  const made = found === undefined ? await generatedAvatar(deps, params.realm_id, params.path) : undefined
  const tag = found?.object_key.split('/')[1] ?? made?.tag
  if (tag === undefined) throw refuse('RESOURCE_NOT_FOUND', 'File not found.')
  const etag = `"${tag}"`
  const headers = {
    ...safeContentHeaders(found?.content_type ?? 'image/png', path.split('/').at(-1)!),
    // Clients on other origins show them.
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': request.url.includes('version=') ? longCaching : shortCaching,
    etag,
  }
  if (namesTag(request.headers['if-none-match'], etag)) return new StreamedReply(304, headers, null)
  const stream = found === undefined ? undefined : await deps.store.get(found.object_key)
  // Pictures are small; of one size they say how long they are.
  const bytes = made?.picture ?? (stream === undefined ? undefined : await buffer(stream))
  if (bytes === undefined) throw refuse('RESOURCE_NOT_FOUND', 'File not found.')
  const sized = { ...headers, 'content-length': String(bytes.length) }
  return new StreamedReply(200, sized, request.method === 'HEAD' ? null : bytes)
})
