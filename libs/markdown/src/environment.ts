import type { RenderContext, Wildcard } from './context.ts'
import { MAX_FORMULAS, MAX_HIGHLIGHTED, MAX_MATH_HTML } from './limits.ts'
import type { Element } from './nodes.ts'

/**
 * What the rules share while one message is rendered: the caller's context, what has been found so far, and
 * how much of each bounded thing is left. One per message, thrown away with it.
 */
export class RenderEnvironment {
  readonly context: RenderContext
  readonly mentionedUsers = new Set<number>()
  readonly mentionedGroups = new Set<number>()
  readonly forbiddenGroups = new Set<number>()
  readonly wildcards = new Set<Wildcard>()
  readonly links = new Set<string>()
  readonly uploads = new Set<string>()
  /** Previews of the block that is being built; they are placed after it. */
  previews: Element[] = []
  readonly previewed = new Set<string>()
  hasImage = false
  /** Greater than zero inside a quote, where mentions are silent and files have no preview. */
  quoteDepth = 0
  formulasLeft = MAX_FORMULAS
  mathHtmlLeft = MAX_MATH_HTML
  highlightLeft = MAX_HIGHLIGHTED

  constructor(context: RenderContext) {
    this.context = context
  }
}
