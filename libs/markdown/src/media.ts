import type { UploadInfo } from './context.ts'
import type { RenderEnvironment } from './environment.ts'
import { MAX_PREVIEWS } from './limits.ts'
import { type Attributes, element, type Node, type SafeUrl, voidElement } from './nodes.ts'
import { ownUrl } from './urls.ts'

/** What stands for an image while its thumbnail is being made. */
const PLACEHOLDER = '/static/images/loading/loader-black.svg' as SafeUrl

const IMAGES = new Set([
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/heif',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
])
/** QuickTime since level 495. */
const VIDEOS = new Set(['video/mp4', 'video/quicktime', 'video/webm'])
const AUDIO = new Set(['audio/aac', 'audio/flac', 'audio/mpeg', 'audio/wav', 'audio/x-wav', 'audio/vnd.wave'])

/** The media type without its parameters. */
function typeOf(info: UploadInfo): string {
  return info.content_type.split(';', 1)[0]!.trim().toLowerCase()
}

/** Adds the preview of a linked image or video, which is placed after the block that links to it. */
export function uploadPreview(
  target: SafeUrl,
  path: string,
  label: string | undefined,
  environment: RenderEnvironment,
): void {
  const { context } = environment
  if (environment.quoteDepth > 0 || context.inlineImagePreview === false) return
  if (environment.previewed.has(target) || environment.previewed.size >= MAX_PREVIEWS) return
  const info = context.uploads?.info(path)
  if (info === undefined) return
  const type = typeOf(info)
  if (IMAGES.has(type)) {
    const title =
      label !== undefined && !label.endsWith(target) ? label : path.slice(path.lastIndexOf('/') + 1)
    const image = voidElement('img', imageAttributes(target, info, type))
    add('message_inline_image', element('a', { href: target, title }, [image]))
    environment.hasImage = true
  } else if (VIDEOS.has(type)) {
    const video = element('video', { preload: 'metadata', src: target })
    add('message_inline_image message_inline_video', element('a', { href: target }, [video]))
    environment.hasImage = true
  }

  function add(className: string, preview: Node): void {
    environment.previewed.add(target)
    environment.previews.push(element('div', { class: className }, [preview]))
  }
}

/** What the image syntax becomes for an uploaded file: an image in the text or an audio player. */
export function uploadedMedia(
  target: SafeUrl,
  path: string,
  alt: string,
  environment: RenderEnvironment,
): Node | undefined {
  const info = environment.context.uploads?.info(path)
  if (info === undefined) return undefined
  const type = typeOf(info)
  if (AUDIO.has(type)) {
    const title = alt === '' ? path.slice(path.lastIndexOf('/') + 1) : alt
    return element('audio', { controls: '', preload: 'metadata', src: target, title })
  }
  if (!IMAGES.has(type)) return undefined
  environment.hasImage = true
  const { class: state, ...attributes } = imageAttributes(target, info, type)
  const className = state === undefined ? 'inline-image' : `inline-image ${state}`
  return voidElement('img', { alt, class: className, 'data-original-src': target, ...attributes })
}

function imageAttributes(target: SafeUrl, info: UploadInfo, type: string): Attributes {
  const { thumbnail, width, height } = info
  if (thumbnail === undefined) return { src: target }
  const original: Attributes = { 'data-original-content-type': type }
  if (width !== undefined && height !== undefined) original['data-original-dimensions'] = `${width}x${height}`
  const src = thumbnail === null ? undefined : ownUrl(thumbnail.url)
  if (thumbnail === null || src === undefined)
    return { class: 'image-loading-placeholder', ...original, src: PLACEHOLDER }
  if (thumbnail.animated === true) original['data-animated'] = 'true'
  if (thumbnail.transcoded !== undefined) original['data-transcoded-image'] = thumbnail.transcoded
  return { ...original, src }
}
