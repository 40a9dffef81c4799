import {
  messageFormats,
  type ThumbnailFormat,
  thumbnailFormats,
} from '@parley/contracts/objects/thumbnail-format'
import type { FileRow } from '../files/file-store.ts'

/** Bytes of a file of which a picture is drawn: it has to be in memory for that. */
const maxSource = 25 * 1024 * 1024

/** Media types that are looked into: the decoder goes by the first bytes, these say whether it is worth it. */
const drawn = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/tiff', 'image/webp'])

export const mayBeDrawn = ({ content_type, size }: Pick<FileRow, 'content_type' | 'size'>): boolean =>
  drawn.has(content_type) && size > 0 && size <= maxSource

/** The file and the form that a path below `/user_uploads/thumbnail/<realm>/` names. */
export const thumbnailAt = (path: string): { path: string; format: ThumbnailFormat } | undefined => {
  const slash = path.lastIndexOf('/')
  const format = thumbnailFormats.find(({ name }) => name === path.slice(slash + 1))
  return slash < 1 || format === undefined ? undefined : { path: path.slice(0, slash), format }
}

type Measured = Pick<FileRow, 'path_id' | 'content_type' | 'width' | 'height' | 'frames'>

/** What is said of a picture to whoever shows it; undefined for what is no picture. */
export const shownPicture = ({ path_id, content_type, width, height, frames }: Measured) => {
  if (width === null || height === null || frames === null) return undefined
  const animated = frames > 1
  const { name } = messageFormats[animated ? 'animated' : 'still']
  const url = `/user_uploads/thumbnail/${path_id.split('/').map(encodeURIComponent).join('/')}/${name}`
  return { path_id, content_type, width, height, thumbnail: { url, ...(animated ? { animated } : {}) } }
}
