import type { StateInline } from 'markdown-it'
import { emojiByName, namesByCode } from './emoji-table.ts'
import type { RenderEnvironment } from './environment.ts'
import type { ChatInlineState } from './inline-state.ts'
import { element, isElement, type Node, voidElement } from './nodes.ts'
import type { Span } from './spans.ts'
import { ownUrl } from './urls.ts'

/** `:name:`; custom emoji are named from `[0-9a-z_-]`, Unicode ones also with `+`. */
export const EMOJI_NAME = /:([\w+-]{1,100}):/y

/** A whole emoji sequence, so that part of an unknown one isn't taken for a known one. */
const SEQUENCE =
  /(?:\p{RI}\p{RI}|[0-9#*]\uFE0F?\u20E3|\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?(?:[\u{E0020}-\u{E007F}]+)?(?:\u200D\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)?)*)/gu
const MAY_BE_EMOJI = /\p{Extended_Pictographic}|\p{RI}|\u20E3/u
/** Symbols below this are text unless a variation selector asks for the picture: ©, ™, ↔ and the like. */
const FIRST_PICTURE = 0x2600

const EMOTICONS: Readonly<Record<string, string>> = {
  ':)': 'smile',
  ':-)': 'smile',
  '(:': 'smile',
  ':(': 'frown',
  ':-(': 'frown',
  '<3': 'heart',
  ':|': 'neutral',
  ':-|': 'neutral',
  ':/': 'confused',
  ':-/': 'confused',
  ';)': 'wink',
  ';-)': 'wink',
  ':D': 'grinning',
  ':-D': 'grinning',
  ':P': 'stuck_out_tongue',
  ':-P': 'stuck_out_tongue',
  ':p': 'stuck_out_tongue',
  ':-p': 'stuck_out_tongue',
  ':o': 'open_mouth',
  ':-o': 'open_mouth',
  ':O': 'open_mouth',
}
const EMOTICON = new RegExp(
  `(?<![\\p{L}\\p{N}:/])(?:${Object.keys(EMOTICONS)
    .sort((a, b) => b.length - a.length)
    .map((face) => face.replace(/[()|]/g, '\\$&'))
    .join('|')})(?![\\p{L}\\p{N}:/])`,
  'gu',
)

/** `:name:`, custom emoji before the extra one and Unicode's; other names are text. */
export function emojiRule(inline: StateInline): boolean {
  const state = inline as ChatInlineState
  if (state.src.charCodeAt(state.pos) !== 0x3a) return false
  EMOJI_NAME.lastIndex = state.pos
  const match = EMOJI_NAME.exec(state.src)
  if (match === null || state.pos + match[0].length > state.posMax) return false
  const node = customEmoji(match[1]!, state.environment) ?? extraEmoji(match[1]!) ?? unicodeEmoji(match[1]!)
  if (node === undefined) return false
  state.pushNode(node)
  state.pos += match[0].length
  return true
}

function customEmoji(name: string, { context }: RenderEnvironment): Node | undefined {
  const emoji = context.emoji.byName(name)
  const src = emoji === undefined ? undefined : ownUrl(emoji.source_url)
  if (src === undefined) return undefined
  return voidElement('img', { alt: `:${name}:`, class: 'emoji', src, title: name.replaceAll('_', ' ') })
}

/** The one emoji that every server has besides Unicode's (`zulip_extra_emoji` in reactions). */
const EXTRA = 'zulip'
const EXTRA_PICTURE = ownUrl(`/static/generated/emoji/images/emoji/unicode/${EXTRA}.png`)!

function extraEmoji(name: string): Node | undefined {
  if (name !== EXTRA) return undefined
  return voidElement('img', { alt: `:${EXTRA}:`, class: 'emoji', src: EXTRA_PICTURE, title: EXTRA })
}

function unicodeEmoji(name: string): Node | undefined {
  const code = emojiByName(name)
  if (code === undefined) return undefined
  const title = name.replaceAll('_', ' ')
  const attributes = { 'aria-label': title, class: `emoji emoji-${code}`, role: 'img', title } as const
  return element('span', attributes, [`:${name}:`])
}

/** Emoji characters in a text; sequences that are not in the table stay as they are. */
export function emojiSpans(text: string): Span[] {
  if (!MAY_BE_EMOJI.test(text)) return []
  const spans: Span[] = []
  for (const match of text.matchAll(SEQUENCE)) {
    const points = Array.from(match[0], (character) => character.codePointAt(0)!)
    if (points.length === 1 && points[0]! < FIRST_PICTURE && !/\p{Emoji_Presentation}/u.test(match[0]))
      continue
    const code = points
      .filter((point) => point !== 0xfe0f)
      .map((point) => point.toString(16).padStart(4, '0'))
      .join('-')
    const name = namesByCode.get(code)?.[0]
    if (name === undefined) continue
    spans.push({
      kind: 'emoji',
      start: match.index,
      end: match.index + match[0].length,
      build: () => unicodeEmoji(name)!,
    })
  }
  return spans
}

/** `:)` and its kind, where they stand apart from words. */
export function emoticonSpans(text: string): Span[] {
  return Array.from(text.matchAll(EMOTICON), (match) => ({
    kind: 'emoji' as const,
    start: match.index,
    end: match.index + match[0].length,
    build: () => unicodeEmoji(EMOTICONS[match[0]]!)!,
  }))
}

/** Whether a message is one paragraph that contains only emoji. */
export function isEmojiOnly(nodes: readonly Node[]): boolean {
  const paragraph = nodes[0]
  if (nodes.length !== 1 || !isElement(paragraph) || paragraph.tag !== 'p') return false
  let emoji = 0
  for (const node of paragraph.children) {
    if (typeof node === 'string' ? node.trim() !== '' : node.tag !== 'br' && !isEmoji(node)) return false
    if (typeof node !== 'string' && node.tag !== 'br') emoji++
  }
  return emoji > 0
}

function isEmoji(node: Node): boolean {
  if (!isElement(node)) return false
  const className = node.attributes?.class
  return className === 'emoji' || className?.startsWith('emoji ') === true
}
