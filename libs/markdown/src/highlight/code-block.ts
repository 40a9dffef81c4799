import type { RenderEnvironment } from '../environment.ts'
import { type Element, element, type Node } from '../nodes.ts'
import { languageNamed } from './languages.ts'
import type { Piece } from './lexer.ts'

/**
 * A block of code. Its language is noted for the playgrounds of clients, by its usual name or as it was written; it
 * is coloured when it is known and the message's share of colouring is not used up.
 */
export function codeBlock(code: string, language: string, environment: RenderEnvironment): Element {
  const known = languageNamed(language)
  const text = withoutEmptyEnds(code)
  const label = known?.label ?? language
  const attributes =
    label === '' ? { class: 'codehilite' } : { class: 'codehilite', 'data-code-language': label }
  const isColoured = known?.lexer !== undefined && text.length <= environment.highlightLeft
  if (isColoured) environment.highlightLeft -= text.length
  const content = element('code', null, isColoured ? colour(known.lexer!(text)) : [text])
  return element('div', attributes, [element('pre', null, [element('span', null), content])])
}

/** Code without spaces at the ends of its lines and without empty lines before and after it; it ends with a line end. */
function withoutEmptyEnds(code: string): string {
  const lines = code.split('\n').map((line) => line.trimEnd())
  const first = lines.findIndex((line) => line !== '')
  if (first < 0) return ''
  const last = lines.findLastIndex((line) => line !== '')
  return `${lines.slice(first, last + 1).join('\n')}\n`
}

/** Pieces as nodes; neighbours of one class share an element. */
function colour(pieces: readonly Piece[]): Node[] {
  const nodes: Node[] = []
  let className: string | undefined
  let text = ''
  const flush = () => {
    if (text !== '')
      nodes.push(className === undefined ? text : element('span', { class: className }, [text]))
  }
  for (const [next, part] of pieces) {
    if (next !== className) {
      flush()
      className = next
      text = ''
    }
    text += part
  }
  flush()
  return nodes
}
