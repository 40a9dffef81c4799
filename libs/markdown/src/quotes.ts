import type { StateBlock } from 'markdown-it'
import { MAX_BLOCK_DEPTH } from './limits.ts'

const GREATER_THAN = 0x3e
const SPACE = 0x20
const TAB = 0x09

/** Where lines of nothing but marks were found to be text, so that each of them need not find it out again. */
interface Refused {
  level: number
  from: number
  to: number
}
const refusals = new WeakMap<StateBlock, Refused>()

/**
 * `> text`. A quote reaches to the next empty line: what follows its first mark belongs to it, marked or not, unless
 * something else begins there. A marked line without text is an empty line of the quote; marks without any text after
 * them are no quote, and those that are nested too deeply are text.
 */
export function quoteRule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (state.level >= MAX_BLOCK_DEPTH || !isMarked(state, startLine)) return false
  if (isNothing(state, startLine, endLine)) return false
  if (silent) return true

  const { blkIndent, lineMax, parentType } = state
  state.parentType = 'blockquote'
  const terminators = state.md.block.ruler.getRules('blockquote')
  const unmarked: (() => void)[] = []
  let line = startLine
  while (line < endLine && !state.isEmpty(line)) {
    if (continues(state, line)) unmarked.push(removeMark(state, line))
    else if (terminators.some((terminates) => terminates(state, line, endLine, true))) break
    line++
  }

  state.push('blockquote_open', 'blockquote', 1)
  state.blkIndent = 0
  state.lineMax = line
  state.md.block.tokenize(state, startLine, line)
  state.push('blockquote_close', 'blockquote', -1)
  for (const restore of unmarked) restore()
  state.blkIndent = blkIndent
  state.lineMax = lineMax
  state.parentType = parentType
  state.line = line
  return true
}

function isMarked(state: StateBlock, line: number): boolean {
  const indent = state.sCount[line]! - state.blkIndent
  return indent < 4 && state.src.charCodeAt(contentStart(state, line)) === GREATER_THAN
}

/** Whether a marked line belongs to the quote above it: not one that is outside of the item of a list which the quote is in. */
function continues(state: StateBlock, line: number): boolean {
  return state.sCount[line]! >= state.blkIndent && isMarked(state, line)
}

function contentStart(state: StateBlock, line: number): number {
  return state.bMarks[line]! + state.tShift[line]!
}

/** Whether from here to the next empty line there is nothing but marks. */
function isNothing(state: StateBlock, startLine: number, endLine: number): boolean {
  const refused = refusals.get(state)
  if (refused?.level === state.level && refused.from <= startLine && startLine < refused.to) return true
  let line = startLine
  while (line < endLine && isMarked(state, line) && isMarkOnly(state, line)) line++
  const hasText = line < endLine && !state.isEmpty(line)
  if (!hasText) refusals.set(state, { level: state.level, from: startLine, to: line })
  return !hasText
}

function isMarkOnly(state: StateBlock, line: number): boolean {
  const start = contentStart(state, line) + 1
  return state.skipSpaces(start) >= state.eMarks[line]!
}

/** Takes the mark and one space off a line; answers how to put them back. */
function removeMark(state: StateBlock, line: number): () => void {
  const { bMarks, bsCount, sCount, tShift } = state
  const before = [bMarks[line]!, bsCount[line]!, sCount[line]!, tShift[line]!] as const
  const end = state.eMarks[line]!
  let begin = contentStart(state, line) + 1
  if (begin < end && (state.src.charCodeAt(begin) === SPACE || state.src.charCodeAt(begin) === TAB)) begin++
  let columns = 0
  let position = begin
  for (; position < end; position++) {
    const character = state.src.charCodeAt(position)
    if (character === TAB) columns += 4 - (columns % 4)
    else if (character === SPACE) columns++
    else break
  }
  bMarks[line] = begin
  bsCount[line] = 0
  sCount[line] = columns
  tShift[line] = position - begin
  return () => {
    ;[bMarks[line], bsCount[line], sCount[line], tShift[line]] = before
  }
}
