import type { StateInline } from 'markdown-it'
import { type BacktickRun, backtickRuns } from './inline-state.ts'
import { element } from './nodes.ts'

const runsOf = new WeakMap<StateInline, Map<number, BacktickRun>>()

/** `` `code` ``: spaces inside are kept, as clients of the API expect; nothing in it is syntax. */
export function codeSpanRule(state: StateInline): boolean {
  const start = state.pos
  if (state.src.charCodeAt(start) !== 0x60) return false
  const runs = runsOf.get(state) ?? backtickRuns(state.src)
  runsOf.set(state, runs)
  const run = runs.get(start)
  if (run === undefined) return false
  if (run.close === undefined || run.close + run.length > state.posMax) {
    state.pending += state.src.slice(start, start + run.length)
    state.pos = start + run.length
    return true
  }
  const code = state.src.slice(start + run.length, run.close).replaceAll('\n', ' ')
  state.push('node', '', 0).meta = { node: element('code', null, [code]) }
  state.pos = run.close + run.length
  return true
}
