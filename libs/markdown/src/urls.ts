import type { RenderContext } from './context.ts'
import type { SafeUrl } from './nodes.ts'

/** Schemes that a link may have: none of them can run code in the client. */
export const SAFE_SCHEMES: ReadonlySet<string> = new Set([
  'http',
  'https',
  'ftp',
  'mailto',
  'tel',
  'sms',
  'xmpp',
  'irc',
  'ircs',
  'geo',
  'magnet',
  'bitcoin',
])

/** Schemes after which `//` and a host must follow; without them a browser reads a path of the current page. */
const HAS_HOST: ReadonlySet<string> = new Set(['http', 'https', 'ftp', 'irc', 'ircs'])
const WITH_HOST = /^[a-zA-Z]+:\/\/[^/\\?#\s]/

const UPLOADS = '/user_uploads/'
const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):/
/** Characters that must not be in a URL as they are; a backslash would be read as a slash by browsers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const UNSAFE = /[\u0000-\u0020"'<>\\^`{|}\u007f-\u{10ffff}]+/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore these before and inside a scheme
const IGNORED_BY_BROWSERS = /[\u0000-\u001f\u007f]/

/**
 * The checked form of a link's target, or undefined when it must not become a link. An absolute URL of the
 * organization becomes a path, so that clients open it in place; `example.com/x` means `http://example.com/x`.
 */
export function safeLink(target: string, context: Pick<RenderContext, 'realm'>): SafeUrl | undefined {
  const url = target.trim()
  if (url === '' || IGNORED_BY_BROWSERS.test(url)) return undefined
  const inApp = withoutRealm(url, context.realm.url)
  if (inApp !== undefined) return escaped(inApp)
  if (/^[/\\]{2}/.test(url)) return escaped(`http://${url.replace(/^[/\\]+/, '')}`)
  if (url.startsWith('/') || url.startsWith('#') || url.startsWith('?')) return escaped(url)
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && SAFE_SCHEMES.has(scheme)) {
    return !HAS_HOST.has(scheme) || WITH_HOST.test(url) ? escaped(url) : undefined
  }
  if (/^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d{1,5})?(?:[/?#]|$)/u.test(url))
    return escaped(`http://${url}`)
  if (/^[^\s/:@]+@[^\s/:@]+$/.test(url)) return escaped(`mailto:${url}`)
  if (scheme === undefined && /^\.{0,2}[\p{L}\p{N}_.~-]*\//u.test(url))
    return escaped(`/${url.replace(/^[./]+/, '')}`)
  return undefined
}

/** A path of the organization's own host, such as an emoji image or a thumbnail, as the server made it. */
export function ownUrl(path: string): SafeUrl | undefined {
  if (path.startsWith('/') && !path.startsWith('//')) return escaped(path)
  return /^https?:\/\//.test(path) ? escaped(path) : undefined
}

/** The `path_id` of an uploaded file that a checked URL leads to. */
export function uploadPath(url: SafeUrl): string | undefined {
  if (!url.startsWith(UPLOADS)) return undefined
  const path = url.slice(UPLOADS.length).split(/[?#]/, 1)[0]!
  if (
    !/^\d+\/[^/]/.test(path) ||
    path.split('/').some((part) => part === '..' || part === '.' || part === '')
  ) {
    return undefined
  }
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function withoutRealm(url: string, realm: string): string | undefined {
  if (!url.startsWith(realm)) return undefined
  const rest = url.slice(realm.endsWith('/') ? realm.length - 1 : realm.length)
  return rest.startsWith('/#') || rest.startsWith(UPLOADS) ? rest : undefined
}

/** Percent-encodes what may not be in a URL; existing percent-encoding is kept. */
function escaped(url: string): SafeUrl {
  return url
    .toWellFormed()
    .replace(UNSAFE, (part) => encodeURIComponent(part).replaceAll("'", '%27')) as SafeUrl
}
