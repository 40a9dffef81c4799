import type { StateBlock } from 'markdown-it'
import { MAX_BLOCK_DEPTH } from './limits.ts'

const MARKER = /^(?:`{3,}|~{3,})/
/** A word that says what is inside: `python`, `.python`, `{.python}`. */
const LANGUAGE = /^\{?\.?([\w+\-./#]+)\}?(?=\s|$)/
const CLOSING = /^(`{3,}|~{3,})[ \t]*$/

interface Fence {
  marker: string
  kind: 'code' | 'quote' | 'spoiler' | 'math'
  language: string
  rest: string
}

/**
 * The opening of a fence that a line may be: the marker, then perhaps a word that says what is inside, then perhaps
 * more words. No step looks at a character twice: a line may be 10,000 characters of anything.
 */
function readOpening(line: string): Fence | undefined {
  const marker = MARKER.exec(line)?.[0]
  if (marker === undefined) return undefined
  const info = line.slice(marker.length).trim()
  if (info.includes('`') || info.includes('~')) return undefined
  const match = LANGUAGE.exec(info)
  if (match === null && info !== '') return undefined
  const language = match?.[1] ?? ''
  const rest = info.slice(match?.[0].length ?? 0).trim()
  return { marker, kind: kindOf(language, rest), language, rest }
}

function kindOf(language: string, rest: string): Fence['kind'] {
  if (language === 'spoiler') return 'spoiler'
  if (rest !== '') return 'code'
  if (language === 'quote' || language === 'quoted') return 'quote'
  return language === 'math' ? 'math' : 'code'
}

function closes(line: string, fence: Fence): boolean {
  const match = CLOSING.exec(line)
  return match !== null && match[1]![0] === fence.marker[0] && match[1]!.length >= fence.marker.length
}

/**
 * Fenced code, math, quotes and spoilers. Quotes and spoilers contain blocks, also fences; a fence that is not
 * closed reaches to the end of what it is in.
 */
export function fenceRule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (state.sCount[startLine]! - state.blkIndent >= 4) return false
  const first = state.src.charCodeAt(state.bMarks[startLine]! + state.tShift[startLine]!)
  if (first !== 0x60 && first !== 0x7e) return false
  const fence = readOpening(lineText(state, startLine))
  if (fence === undefined) return false
  if (silent) return true
  const isContainer = isContainerKind(fence) && state.level < MAX_BLOCK_DEPTH
  const { end, isClosed } = isContainer
    ? endOfContainer(state, startLine + 1, endLine, fence)
    : endOfText(state, startLine + 1, endLine, fence)
  if (isContainer) pushContainer(state, fence, startLine + 1, end)
  else pushText(state, fence, startLine, end)
  state.line = isClosed ? end + 1 : end
  return true
}

function isContainerKind(fence: Fence): boolean {
  return fence.kind === 'quote' || fence.kind === 'spoiler'
}

function lineText(state: StateBlock, line: number): string {
  return state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line])
}

function isOutside(state: StateBlock, line: number): boolean {
  return !state.isEmpty(line) && state.sCount[line]! < state.blkIndent
}

function endOfText(
  state: StateBlock,
  from: number,
  limit: number,
  fence: Fence,
): { end: number; isClosed: boolean } {
  for (let line = from; line < limit; line++) {
    if (isOutside(state, line)) return { end: line, isClosed: false }
    if (closes(lineText(state, line), fence)) return { end: line, isClosed: true }
  }
  return { end: limit, isClosed: false }
}

/** A line that could close this fence and open another closes; one that names its content opens. */
function endOfContainer(
  state: StateBlock,
  from: number,
  limit: number,
  fence: Fence,
): { end: number; isClosed: boolean } {
  const open = [fence]
  for (let line = from; line < limit; line++) {
    if (isOutside(state, line)) return { end: line, isClosed: false }
    const text = lineText(state, line)
    const innermost = open.at(-1)!
    if (closes(text, innermost)) {
      open.pop()
      if (open.length === 0) return { end: line, isClosed: true }
    } else if (isContainerKind(innermost)) {
      const opened = readOpening(text)
      if (opened !== undefined) open.push(opened)
    }
  }
  return { end: limit, isClosed: false }
}

function pushText(state: StateBlock, fence: Fence, startLine: number, end: number): void {
  const token = state.push(fence.kind === 'math' ? 'math_block' : 'code_block', '', 0)
  token.info = fence.language
  token.content = state.getLines(startLine + 1, end, state.sCount[startLine]!, true)
}

function pushContainer(state: StateBlock, fence: Fence, from: number, end: number): void {
  const type = fence.kind === 'quote' ? 'blockquote' : 'spoiler'
  const opening = state.push(`${type}_open`, '', 1)
  if (type === 'spoiler') opening.content = fence.rest
  const { lineMax, parentType } = state
  state.lineMax = end
  state.parentType = 'blockquote'
  state.md.block.tokenize(state, from, end)
  state.lineMax = lineMax
  state.parentType = parentType
  state.push(`${type}_close`, '', -1)
}
