/** What is not known to be anything else. */
const unknownType = 'application/octet-stream'

const wellFormed = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,100}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/

/** For files whose sender does not say what they are: types that clients show. */
const byEnding: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  avif: 'image/avif',
  flac: 'audio/flac',
  gif: 'image/gif',
  heic: 'image/heic',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  tiff: 'image/tiff',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
}

/** The media type of a file, without parameters, from what its sender says and from its name. */
export const contentType = (sent: string | undefined, name: string): string => {
  const type = (sent ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (wellFormed.test(type) && type !== unknownType) return type
  return byEnding[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? unknownType
}
