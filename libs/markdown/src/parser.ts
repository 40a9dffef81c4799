import MarkdownIt, { type MarkdownIt as Parser, type StateBlock } from 'markdown-it'
import { channelLinkRule } from './channel-links.ts'
import { codeSpanRule } from './code-spans.ts'
import { emojiRule } from './emoji.ts'
import { fenceRule } from './fences.ts'
import { ChatInlineState, textRule, underscoreRule } from './inline-state.ts'
import { MAX_TABLE_COLUMNS } from './limits.ts'
import { lineEndRule } from './line-ends.ts'
import { imageRule, linkRule } from './links.ts'
import { listRule } from './lists.ts'
import { inlineMathRule } from './math.ts'
import { mentionRule } from './mentions.ts'
import { quoteRule } from './quotes.ts'
import { strikeRule } from './strike.ts'
import { timeRule } from './times.ts'

const BLOCKS = ['table', 'code', 'fence', 'blockquote', 'hr', 'list', 'heading', 'paragraph']
const MARKS = ['text', 'newline', 'backticks', 'strikethrough', 'emphasis', 'link', 'image', 'entity']
/** Cells that a table may have; further rows are shown as text. */
const MAX_TABLE_CELLS = 4000

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean

/** A stock rule of markdown-it by itself, so that it can be wrapped with a bound. */
function stockBlockRule(name: string): BlockRule {
  const parser = new MarkdownIt()
  parser.block.ruler.enableOnly(name)
  return parser.block.ruler.getRules('')[0]!
}

const stockTable = stockBlockRule('table')

/** A table, unless it is too wide; one that is too long ends early and the rest is text. */
const tableRule: BlockRule = (state, startLine, endLine, silent) => {
  const delimiters = startLine + 1
  if (delimiters >= endLine) return false
  const columns = state.src.slice(state.bMarks[delimiters], state.eMarks[delimiters]).split('|').length
  if (columns > MAX_TABLE_COLUMNS) return false
  const lastLine = startLine + 2 + Math.floor(MAX_TABLE_CELLS / columns)
  return stockTable(state, startLine, Math.min(endLine, lastLine), silent)
}

/**
 * markdown-it with the rules of the chat's dialect. Only the rules named here run: no raw HTML, no link
 * references, no backslash escapes, no `_emphasis_`, no setext headings. Its renderer is never used.
 */
function chatParser(): Parser {
  const md = new MarkdownIt({ html: false, linkify: false, breaks: true, maxNesting: 100 })
  md.block.ruler.enableOnly(BLOCKS)
  md.block.ruler.at('table', tableRule, { alt: ['paragraph'] })
  md.block.ruler.at('fence', fenceRule, { alt: ['paragraph', 'blockquote', 'list'] })
  md.block.ruler.at('blockquote', quoteRule, { alt: ['paragraph', 'blockquote', 'list'] })
  md.block.ruler.at('list', listRule, { alt: ['paragraph', 'blockquote'] })

  md.inline.State = ChatInlineState
  md.inline.ruler.enableOnly(MARKS)
  md.inline.ruler.at('text', textRule)
  md.inline.ruler.before('newline', 'line_end', lineEndRule)
  md.inline.ruler.at('backticks', codeSpanRule)
  md.inline.ruler.at('strikethrough', strikeRule)
  md.inline.ruler.at('link', linkRule)
  md.inline.ruler.at('image', imageRule)
  md.inline.ruler.before('emphasis', 'underscore', underscoreRule)
  md.inline.ruler.before('emphasis', 'mention', mentionRule)
  md.inline.ruler.before('emphasis', 'channel_link', channelLinkRule)
  md.inline.ruler.before('emphasis', 'emoji', emojiRule)
  md.inline.ruler.before('emphasis', 'math', inlineMathRule)
  md.inline.ruler.before('emphasis', 'time', timeRule)
  return md
}

export const parser: Parser = chatParser()
