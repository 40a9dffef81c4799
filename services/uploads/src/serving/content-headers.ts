/** Types that a browser shows without running anything in them. */
const inline = new Set([
  'application/pdf',
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'audio/x-wav',
  'audio/vnd.wave',
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/heif',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
  'video/mp4',
  'video/ogg',
  'video/quicktime',
  'video/webm',
])

/** RFC 8187: what is no attr-char is percent-encoded. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const disposition = (type: string, name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  return `${inline.has(type) ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${extended(name)}`
}

/** Whatever a file holds, a browser runs nothing of it, guesses nothing, and sends it nowhere. */
export const safeContentHeaders = (type: string, name: string): Record<string, string> => ({
  'content-type': type,
  'content-disposition': disposition(type, name),
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; object-src 'self'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'same-site',
  'referrer-policy': 'no-referrer',
})
