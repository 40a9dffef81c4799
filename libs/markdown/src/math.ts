import katex from 'katex'
import type { StateInline } from 'markdown-it'
import type { RenderEnvironment } from './environment.ts'
import type { ChatInlineState } from './inline-state.ts'
import { readKatex } from './katex-markup.ts'
import {
  MAX_FORMULA_DEPTH,
  MAX_FORMULA_LENGTH,
  MAX_MACRO_EXPANSIONS,
  MAX_MACRO_FORMULA_LENGTH,
  MAX_MATH_LENGTH_EM,
} from './limits.ts'
import { type Element, element, type Node } from './nodes.ts'

/** `$$x$$` on one line; amounts of money and `$$$` are not formulas, nor is `$$_$$`. */
const INLINE = /\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![\w$])/y
const DEFINES_MACROS =
  /\\(?:[gex]?def|(?:re)?newcommand|providecommand|(?:future)?let|DeclareMathOperator|long|global)\b/

export function inlineMathRule(inline: StateInline): boolean {
  const state = inline as ChatInlineState
  if (state.src.charCodeAt(state.pos) !== 0x24) return false
  if (state.pos > 0 && /[\w$]/.test(state.src[state.pos - 1]!)) return skipDollars(state)
  INLINE.lastIndex = state.pos
  const match = INLINE.exec(state.src)
  if (match === null || state.pos + match[0].length > state.posMax) return skipDollars(state)
  const formula = renderFormula(match[1]!, false, state.environment)
  state.pushNode(formula ?? element('span', { class: 'tex-error' }, [match[0]]))
  state.pos += match[0].length
  return true
}

/** A run of dollars that opens nothing is text as a whole, not a new chance at every dollar. */
function skipDollars(state: StateInline): boolean {
  let end = state.pos
  while (end < state.posMax && state.src.charCodeAt(end) === 0x24) end++
  state.pending += state.src.slice(state.pos, end)
  state.pos = end
  return true
}

/** A ```` ```math ```` block. */
export function mathBlock(source: string, environment: RenderEnvironment): Element {
  const formula = renderFormula(source, true, environment)
  return element('p', null, [formula ?? element('span', { class: 'tex-error' }, [source])])
}

/** A formula as KaTeX draws it, or undefined when it is not valid or beyond the limits. */
function renderFormula(source: string, isBlock: boolean, environment: RenderEnvironment): Node | undefined {
  if (environment.formulasLeft <= 0 || environment.mathHtmlLeft <= 0 || !isWithinLimits(source))
    return undefined
  environment.formulasLeft--
  try {
    const html = withoutWarnings(() =>
      katex.renderToString(source, {
        displayMode: isBlock,
        output: 'htmlAndMathml',
        strict: 'ignore',
        trust: false,
        throwOnError: true,
        maxExpand: MAX_MACRO_EXPANSIONS,
        maxSize: MAX_MATH_LENGTH_EM,
      }),
    )
    environment.mathHtmlLeft -= html.length
    if (environment.mathHtmlLeft < 0) return undefined
    return readKatex(html)[0]
  } catch {
    // Not only ParseError: KaTeX also throws others on some malformed input, and UnexpectedMarkup is ours.
    return undefined
  }
}

/**
 * KaTeX warns on the console of characters whose size it doesn't know. A message must not be able to write to the
 * service's log; nothing else runs meanwhile, so nothing else is silenced.
 */
function withoutWarnings<T>(draw: () => T): T {
  const { warn } = console
  console.warn = () => {}
  try {
    return draw()
  } finally {
    console.warn = warn
  }
}

function isWithinLimits(source: string): boolean {
  if (source.length > MAX_FORMULA_LENGTH) return false
  if (source.length > MAX_MACRO_FORMULA_LENGTH && DEFINES_MACROS.test(source)) return false
  let depth = 0
  for (const [, brace] of source.matchAll(/\\.|([{}])/gs)) {
    if (brace === '{' && ++depth > MAX_FORMULA_DEPTH) return false
    if (brace === '}') depth--
  }
  return true
}
