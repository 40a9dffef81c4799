import type { StateBlock } from 'markdown-it'
import { MAX_BLOCK_DEPTH } from './limits.ts'

const BULLET = /^[*+-](?=[ \t]|$)/
const NUMBER = /^(\d{1,9})\.(?=[ \t]|$)/
/** Only small numbers turn the line after a paragraph into a list: a line may well begin with a year. */
const MAX_INTERRUPTING_NUMBER = 999
/** How much deeper than its marker a line must be to belong to an item, whatever the marker's width. */
const INDENT = 2

interface Marker {
  isOrdered: boolean
  number: number
  length: number
}

function readMarker(state: StateBlock, line: number): Marker | undefined {
  const start = state.bMarks[line]! + state.tShift[line]!
  const text = state.src.slice(start, Math.min(state.eMarks[line]!, start + 12))
  if (BULLET.test(text)) return { isOrdered: false, number: 0, length: 1 }
  const match = NUMBER.exec(text)
  return match === null ? undefined : { isOrdered: true, number: Number(match[1]), length: match[0].length }
}

/**
 * Lists as people write them in a chat: right after a line of text, with any bullet, items of a list inside an
 * item indented by two spaces, also under a number.
 */
export function listRule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (state.sCount[startLine]! - state.blkIndent >= 4 || state.level >= MAX_BLOCK_DEPTH) return false
  const first = readMarker(state, startLine)
  if (first === undefined) return false
  if (silent) return state.parentType !== 'paragraph' || mayInterrupt(state, startLine, first)

  const type = first.isOrdered ? 'ordered_list' : 'bullet_list'
  const opening = state.push(`${type}_open`, '', 1)
  if (first.isOrdered) opening.meta = { start: first.number }
  const { parentType } = state
  state.parentType = 'list'
  const terminators = state.md.block.ruler.getRules('list')
  let isTight = true
  let endedEmpty = false
  let marker: Marker | undefined = first
  let line = startLine
  while (marker !== undefined && marker.isOrdered === first.isOrdered) {
    const itemIsTight = pushItem(state, line, endLine, marker)
    if (!itemIsTight || endedEmpty) isTight = false
    endedEmpty = state.line - line > 1 && state.isEmpty(state.line - 1)
    line = state.line
    if (
      line >= endLine ||
      state.sCount[line]! < state.blkIndent ||
      state.sCount[line]! - state.blkIndent >= 4
    )
      break
    if (terminators.some((terminates) => terminates(state, line, endLine, true))) break
    marker = readMarker(state, line)
  }
  state.push(`${type}_close`, '', -1)
  opening.hidden = isTight
  state.line = line
  state.parentType = parentType
  return true
}

/** After a line of text, only what surely is an item begins a list. */
function mayInterrupt(state: StateBlock, line: number, marker: Marker): boolean {
  const content = state.bMarks[line]! + state.tShift[line]! + marker.length
  return (
    marker.number <= MAX_INTERRUPTING_NUMBER && state.src.slice(content, state.eMarks[line]).trim() !== ''
  )
}

/** Reads one item; answers whether its blocks follow each other without an empty line. */
function pushItem(state: StateBlock, line: number, endLine: number, marker: Marker): boolean {
  const { blkIndent, tight } = state
  const tShift = state.tShift[line]!
  const sCount = state.sCount[line]!
  const end = state.eMarks[line]!
  let content = state.bMarks[line]! + tShift + marker.length
  while (content < end && (state.src[content] === ' ' || state.src[content] === '\t')) content++

  state.push('list_item_open', '', 1)
  state.blkIndent = sCount + INDENT
  state.tShift[line] = content - state.bMarks[line]!
  state.sCount[line] = state.blkIndent
  state.tight = true
  if (content >= end && (line + 1 >= endLine || state.isEmpty(line + 1)))
    state.line = Math.min(line + 2, endLine)
  else state.md.block.tokenize(state, line, endLine)
  const isTight = state.tight
  state.push('list_item_close', '', -1)
  state.blkIndent = blkIndent
  state.tShift[line] = tShift
  state.sCount[line] = sCount
  state.tight = tight
  return isTight
}
