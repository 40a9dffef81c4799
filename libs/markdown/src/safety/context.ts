import type { Linkifier, RenderContext, UploadInfo } from '../index.ts'

/** The people, groups, channels and files of the tests. Two users have one name; one full name is hostile. */
export const USERS = [
  { id: 7, full_name: 'Ada Lovelace' },
  { id: 8, full_name: 'Grace Hopper' },
  { id: 9, full_name: 'Grace Hopper' },
  { id: 10, full_name: 'x<img src=x onerror=alert(1)>' },
]
const GROUPS = [
  { id: 3, name: 'ops', mentionable: true },
  { id: 4, name: 'board', mentionable: false },
  { id: 5, name: 'role:administrators', mentionable: false },
]
const CHANNELS = [
  { id: 9, name: 'announce' },
  { id: 12, name: 'Q&A (new) "live" <b>' },
]
const FILES: Record<string, UploadInfo> = {
  '2/ab/cat.png': {
    content_type: 'image/png',
    width: 1920,
    height: 1080,
    thumbnail: { url: '/user_uploads/thumbnail/2/ab/cat.png/840x560.webp' },
  },
  '2/ab/dog.gif': {
    content_type: 'image/gif',
    width: 10,
    height: 20,
    thumbnail: { url: '/user_uploads/thumbnail/2/ab/dog.gif/840x560-anim.webp', animated: true },
  },
  '2/ab/new.png': { content_type: 'image/png', width: 5, height: 6, thumbnail: null },
  '2/ab/raw.png': { content_type: 'image/png' },
  '2/ab/photo.heic': {
    content_type: 'image/heic',
    width: 4,
    height: 3,
    thumbnail: { url: '/user_uploads/thumbnail/2/ab/photo.heic/840x560.webp', transcoded: '4x3.webp' },
  },
  '2/ab/film.mp4': { content_type: 'video/mp4' },
  '2/ab/film.mov': { content_type: 'video/quicktime' },
  '2/ab/song.mp3': { content_type: 'audio/mpeg' },
  '2/ab/page.html': { content_type: 'text/html' },
  '2/ab/draw.svg': { content_type: 'image/svg+xml' },
}

/** A linkifier from a regular expression with the flag g; the product compiles patterns with RE2 elsewhere. */
export function linkifier(pattern: RegExp, urlTemplate: string): Linkifier {
  return {
    url_template: urlTemplate,
    pattern: {
      *matchAll(text) {
        for (const match of text.matchAll(pattern)) {
          yield { index: match.index, text: match[0], groups: match.groups ?? {} }
        }
      },
    },
  }
}

export const context: RenderContext = {
  realm: { url: 'https://chat.example.com' },
  users: {
    byName: (name) => USERS.filter((user) => user.full_name.toLowerCase() === name.toLowerCase()),
    byId: (id) => USERS.find((user) => user.id === id),
  },
  groups: { byName: (name) => GROUPS.find((group) => group.name === name) },
  channels: { byName: (name) => CHANNELS.find((channel) => channel.name === name) },
  topics: { newestMessage: (_channel, topic) => (topic === 'empty' ? undefined : 214) },
  emoji: {
    byName: (name) =>
      name === 'parrot' || name === 'tada'
        ? { id: '1', source_url: '/user_avatars/2/emoji/images/1.gif', still_url: null }
        : undefined,
  },
  linkifiers: [
    linkifier(/#(?<id>\d{1,9})/g, 'https://bugs.example.com/{id}'),
    linkifier(/(?<repo>[a-z]{1,20})@(?<sha>[0-9a-f]{7,40})/g, 'https://code.example.com{/repo}/commit{?sha}'),
    linkifier(/JS-(?<code>\S{1,40})/g, '{+code}'),
  ],
  uploads: { info: (path) => FILES[path] },
  translateEmoticons: true,
}

/** A setting in which nothing can be referred to. */
export const bareContext: RenderContext = {
  realm: { url: 'https://chat.example.com' },
  users: { byName: () => [], byId: () => undefined },
  groups: { byName: () => undefined },
  channels: { byName: () => undefined },
  emoji: { byName: () => undefined },
  linkifiers: [],
  translateEmoticons: false,
}
