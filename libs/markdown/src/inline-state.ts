import MarkdownIt, { type StateInline } from 'markdown-it'
import type { RenderEnvironment } from './environment.ts'
import type { Node } from './nodes.ts'
import { findSpans, type Span } from './spans.ts'

const Base: new (...parts: ConstructorParameters<typeof StateInline>) => StateInline = new MarkdownIt().inline
  .State

/** The state of one run of inline text, with what is found in one pass over all of it before the rules run. */
export class ChatInlineState extends Base {
  /** Links, linkifier matches, emoji and emoticons in order; `nextSpan` is the first not yet passed. */
  readonly spans: readonly Span[]
  private nextSpan = 0
  #brackets: Map<number, number> | undefined

  constructor(...parts: ConstructorParameters<typeof StateInline>) {
    super(...parts)
    this.spans = findSpans(this.src, this.environment.context)
  }

  get environment(): RenderEnvironment {
    return this.env as unknown as RenderEnvironment
  }

  /** The first span that begins at or after a position; positions must not go back. */
  spanFrom(position: number): Span | undefined {
    while (this.nextSpan < this.spans.length && this.spans[this.nextSpan]!.start < position) this.nextSpan++
    return this.spans[this.nextSpan]
  }

  /** Where the bracket opened at a position closes, ignoring brackets in code; one pass for the whole text. */
  closingBracket(position: number): number | undefined {
    this.#brackets ??= matchBrackets(this.src)
    return this.#brackets.get(position)
  }

  /** Adds a finished node to the text. */
  pushNode(node: Node): void {
    this.push('node', '', 0).meta = { node }
  }
}

/** Pairs `[` with `]` over a text, skipping code spans. */
function matchBrackets(text: string): Map<number, number> {
  const pairs = new Map<number, number>()
  const open: number[] = []
  const runs = backtickRuns(text)
  for (let position = 0; position < text.length; position++) {
    const character = text[position]
    if (character === '[') open.push(position)
    else if (character === ']') {
      const start = open.pop()
      if (start !== undefined) pairs.set(start, position)
    } else if (character === '`') {
      const run = runs.get(position)
      if (run !== undefined) position = (run.close ?? position) + run.length - 1
    }
  }
  return pairs
}

export interface BacktickRun {
  length: number
  /** Where the next run of the same length begins. */
  close: number | undefined
}

/** Every run of backticks by its position, with the run that would close a code span begun there. */
export function backtickRuns(text: string): Map<number, BacktickRun> {
  const runs = new Map<number, BacktickRun>()
  const lastOfLength = new Map<number, BacktickRun>()
  for (const match of text.matchAll(/`+/g)) {
    const run: BacktickRun = { length: match[0].length, close: undefined }
    const previous = lastOfLength.get(run.length)
    if (previous !== undefined) previous.close = match.index
    lastOfLength.set(run.length, run)
    runs.set(match.index, run)
  }
  return runs
}

const SYNTAX = new Set('\n!#$&*:<@[]_`~'.split('').map((character) => character.charCodeAt(0)))

/** Plain text up to the next character that may begin syntax, and the spans found in it. */
export function textRule(inline: StateInline): boolean {
  const state = inline as ChatInlineState
  const span = state.spanFrom(state.pos)
  if (span !== undefined && span.start === state.pos && span.end <= state.posMax) {
    const isLinkInLink = state.linkLevel > 0 && span.kind === 'link'
    if (!isLinkInLink) {
      state.pushNode(span.build(state.environment))
      state.pos = span.end
      return true
    }
  }
  const limit =
    span !== undefined && span.start > state.pos ? Math.min(span.start, state.posMax) : state.posMax
  let end = state.pos
  while (end < limit && !SYNTAX.has(state.src.charCodeAt(end))) end++
  if (end === state.pos) return false
  state.pending += state.src.slice(state.pos, end)
  state.pos = end
  return true
}

/** Underscores are only text: names like `__init__` are more common in a chat than emphasis by underscores. */
export function underscoreRule(state: StateInline): boolean {
  let end = state.pos
  while (end < state.posMax && state.src.charCodeAt(end) === 0x5f) end++
  if (end === state.pos) return false
  state.pending += state.src.slice(state.pos, end)
  state.pos = end
  return true
}
