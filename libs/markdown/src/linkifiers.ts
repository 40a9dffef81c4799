import type { Linkifier, RenderContext } from './context.ts'
import { buildLink } from './links.ts'
import type { SafeUrl } from './nodes.ts'
import type { Span } from './spans.ts'
import { compileTemplate, type UrlTemplate } from './url-template.ts'
import { safeLink } from './urls.ts'

/** A match counts after a space, an opening mark or the start of the text, and not before more of a word. */
const BEFORE = /[\s\p{Z}'"(,:<]/u
const AFTER = /[\p{L}\p{N}]/u

const templates = new WeakMap<Linkifier, UrlTemplate>()

/** A match of a linkifier where it stands apart from words, and where it leads. */
export interface Linked {
  start: number
  end: number
  text: string
  url: SafeUrl
}

/** All matches of one linkifier in a text that lead to a safe URL, in order. */
export function linkified(
  text: string,
  linkifier: Linkifier,
  context: Pick<RenderContext, 'realm'>,
): Linked[] {
  const found: Linked[] = []
  for (const match of linkifier.pattern.matchAll(text)) {
    const end = match.index + match.text.length
    if (match.text === '') continue
    if (match.index > 0 && !BEFORE.test(text[match.index - 1]!)) continue
    if (end < text.length && AFTER.test(String.fromCodePoint(text.codePointAt(end)!))) continue
    const url = safeLink(templateOf(linkifier).expand(match.groups), context)
    if (url !== undefined) found.push({ start: match.index, end, text: match.text, url })
  }
  return found
}

export function linkifierSpans(text: string, linkifier: Linkifier, context: RenderContext): Span[] {
  return linkified(text, linkifier, context).map(({ start, end, text: typed, url }) => ({
    kind: 'link',
    start,
    end,
    build: (environment) => buildLink(url, [typed], environment),
  }))
}

function templateOf(linkifier: Linkifier): UrlTemplate {
  const known = templates.get(linkifier)
  if (known !== undefined) return known
  const template = compileTemplate(linkifier.url_template)
  templates.set(linkifier, template)
  return template
}
