import { compileAlertWords } from './alert-words.ts'
import type { AlertWords, RenderContext, Rendered } from './context.ts'
import { isEmojiOnly } from './emoji.ts'
import { RenderEnvironment } from './environment.ts'
import { type Node, textOf } from './nodes.ts'
import { escapeText, serialize } from './serialize.ts'
import { buildTree } from './tree.ts'

/**
 * A text without any syntax. Most messages are one plain line, which needs no parser: letters, digits, spaces and
 * the marks of ordinary prose where they can't begin anything. Each alternative is one character, so the test is
 * linear.
 */
const PLAIN =
  /^(?![-+_ ]|\d{1,9}\.(?: |$))(?:[\p{L}\p{M}\p{N} !?"'(),=%/+\-_–—…’‘“”]|[.:;](?![^\s"').])|\.(?=\d))+(?<! )$/u
/** Marks that make an emoji of a letter or digit. */
const MAKES_EMOJI = /[\u20e3\ufe0f]/
const MAY_BE_EMOTICON = /[:;]/

/**
 * Renders the content of a message. Pure and synchronous: the same content and the same answers of the context
 * give the same HTML. Never throws because of the content. `/poll` and `/todo` are widgets, not rendered here.
 */
export function renderMessage(content: string, context: RenderContext): Rendered {
  return isPlain(content, context) ? renderedPlain(content) : renderParsed(content, context)
}

/** The same by way of the parser, whatever the content. */
export function renderParsed(content: string, context: RenderContext): Rendered {
  const environment = new RenderEnvironment(context)
  const nodes = buildTree(normalize(content), environment)
  return rendered(content, nodes, environment)
}

function isPlain(content: string, context: RenderContext): boolean {
  if (!PLAIN.test(content) || MAKES_EMOJI.test(content)) return false
  if (context.translateEmoticons && MAY_BE_EMOTICON.test(content)) return false
  for (const linkifier of context.linkifiers) {
    for (const _ of linkifier.pattern.matchAll(content)) return false
  }
  return true
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]/g

/** Line ends of every kind become `\n`; halves of characters and control characters become U+FFFD. */
function normalize(content: string): string {
  return content.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd')
}

function renderedPlain(content: string): Rendered {
  return {
    html: `<p>${escapeText(content)}</p>`,
    mentions: { users: [], groups: [], wildcard: null, wildcards: [], forbiddenGroups: [] },
    links: [],
    uploads: [],
    has_link: false,
    has_image: false,
    has_attachment: false,
    is_me_message: content.startsWith('/me '),
    is_emoji_only: false,
    plainText: () => content,
    alertWordsIn: (words) => prepared(words).in(content),
  }
}

function rendered(content: string, nodes: Node[], environment: RenderEnvironment): Rendered {
  const html = serialize(nodes)
  const wildcards = [...environment.wildcards].sort()
  const plainText = () => textOf(nodes, '\n').replace(/\n+/g, '\n').trim()
  return {
    html,
    mentions: {
      users: [...environment.mentionedUsers],
      groups: [...environment.mentionedGroups],
      wildcard: wildcards[0] ?? null,
      wildcards,
      forbiddenGroups: [...environment.forbiddenGroups],
    },
    links: [...environment.links],
    uploads: [...environment.uploads],
    has_link: environment.links.size > 0,
    has_image: environment.hasImage,
    has_attachment: environment.uploads.size > 0,
    is_me_message: content.startsWith('/me ') && html.startsWith('<p>') && html.endsWith('</p>'),
    is_emoji_only: isEmojiOnly(nodes),
    plainText,
    alertWordsIn: (words) => prepared(words).in(plainText()),
  }
}

function prepared(words: readonly string[] | AlertWords): AlertWords {
  return 'in' in words ? words : compileAlertWords(words)
}
