import type { SafeUrl } from './nodes.ts'

/**
 * A name in the fragment of an in-app URL: percent-encoding with `.` in place of `%`, so that clients and
 * browsers leave it alone (`Parley updates` is `Parley.20updates`).
 */
export function encodeFragment(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*.]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')
}

/** `/#narrow/channel/9-general`, with the name only for people: the id decides. */
export function channelUrl(channel: { id: number; name: string }): SafeUrl {
  return `/#narrow/channel/${channel.id}-${encodeFragment(channel.name.replaceAll(' ', '-'))}` as SafeUrl
}

/** `/#narrow/channel/9-general/topic/lunch`, at a message (`near`) or following moves of one (`with`). */
export function topicUrl(
  channel: { id: number; name: string },
  topic: string,
  at?: { near: number } | { with: number },
): SafeUrl {
  const url = `${channelUrl(channel)}/topic/${encodeFragment(topic)}`
  if (at === undefined) return url as SafeUrl
  return ('near' in at ? `${url}/near/${at.near}` : `${url.replace(/\/$/, '')}/with/${at.with}`) as SafeUrl
}
