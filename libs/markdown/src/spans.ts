import MarkdownIt from 'markdown-it'
import tlds from 'tlds' with { type: 'json' }
import type { RenderContext } from './context.ts'
import { emojiSpans, emoticonSpans } from './emoji.ts'
import type { RenderEnvironment } from './environment.ts'
import { linkifierSpans } from './linkifiers.ts'
import { buildLink } from './links.ts'
import type { Node } from './nodes.ts'
import { safeLink } from './urls.ts'

/** A part of a text that stands for something else, found without regard to other syntax. */
export interface Span {
  kind: 'link' | 'emoji'
  start: number
  end: number
  build(environment: RenderEnvironment): Node
}

/** Top-level domains that are more often the ending of a file's name: `readme.md` is no link. */
const FILE_ENDINGS = new Set([
  'md',
  'py',
  'rs',
  'sh',
  'pl',
  'zip',
  'mov',
  'ps',
  'so',
  'java',
  'app',
  'cc',
  'ml',
])

const linkify = new MarkdownIt().linkify.set({ fuzzyLink: true, urlAuth: true })
linkify.tlds(tlds.filter((tld) => !FILE_ENDINGS.has(tld)))
linkify.add('//', null)

const WORD_AND_COLON = /(?<=^|[\s(*"'])([a-zA-Z]{1,20}):(?=[a-zA-Z])/g
const MAY_BE_LINK = /:\/\/|mailto:|[\p{L}\p{N}]\.[\p{L}\p{N}]|@[\p{L}\p{N}]/iu

/**
 * Links, linkifier matches, emoji and (if the sender wants them) emoticons of a text, in order and apart from one
 * another: where two overlap the first of this list wins.
 */
export function findSpans(text: string, context: RenderContext): readonly Span[] {
  const found: Span[] = []
  if (MAY_BE_LINK.test(text)) add(found, linkSpans(text, context))
  for (const linkifier of context.linkifiers) add(found, linkifierSpans(text, linkifier, context))
  add(found, emojiSpans(text))
  if (context.translateEmoticons) add(found, emoticonSpans(text))
  return found
}

/** Merges spans in order into spans in order; those that overlap what is there are left out. */
function add(found: Span[], more: readonly Span[]): void {
  if (more.length === 0) return
  const merged: Span[] = []
  let next = 0
  for (const span of more) {
    while (next < found.length && found[next]!.end <= span.start) merged.push(found[next++]!)
    const isFree = next >= found.length || found[next]!.start >= span.end
    if (isFree && (merged.at(-1)?.end ?? 0) <= span.start) merged.push(span)
  }
  while (next < found.length) merged.push(found[next++]!)
  found.splice(0, found.length, ...merged)
}

/** URLs and addresses written as they are: `https://...`, `example.com/x`, `someone@example.com`. */
function linkSpans(text: string, context: RenderContext): Span[] {
  const spans: Span[] = []
  for (const match of linkify.match(afterMarks(text)) ?? []) {
    // `a@b.com/foo` is no address but perhaps a path.
    if (match.schema === 'mailto:' && text[match.lastIndex] === '/') continue
    // Marks of emphasis and a colon at the end belong to the text around.
    const typed = withoutMarks(match.raw)
    const target = safeLink(match.url.slice(0, match.url.length - (match.raw.length - typed.length)), context)
    if (target === undefined || typed === '') continue
    spans.push({
      kind: 'link',
      start: match.index,
      end: match.index + typed.length,
      build: (environment) => buildLink(target, [typed], environment),
    })
  }
  return spans
}

/** An address without the marks at its end; a loop, since a regular expression would be quadratic in the marks. */
function withoutMarks(address: string): string {
  let end = address.length
  while (end > 0 && '*~:'.includes(address[end - 1]!)) end--
  return address.slice(0, end)
}

/**
 * linkify-it knows `**` before an address as punctuation, but neither `~~` nor the colon of `see:example.com`; the
 * lengths stay the same.
 */
function afterMarks(text: string): string {
  const unstruck = text.includes('~~') ? text.replace(/(?<=^|[\s(*"'])~~(?=\S)/g, '>>') : text
  return unstruck.replace(WORD_AND_COLON, (found, word: string) =>
    word.toLowerCase() === 'mailto' ? found : `${word}>`,
  )
}
