import type { Node } from './nodes.ts'

/** An element that a library wrote: its name and its attributes, decoded. */
export interface ReadElement {
  tag: string
  attributes: Map<string, string>
}

const PIECE = /<\/([a-z]+)>|<([a-zA-Z]+)((?: [a-zA-Z][\w:-]* ?="[^"]*")*)(\/?)>|([^<]+)/y
const ATTRIBUTE = / ([a-zA-Z][\w:-]*) ?="([^"]*)"/g
const REFERENCE = /&(?:amp|lt|gt|quot|#x27|#39|nbsp);/g
const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

/** Markup of a library that has no place in the output; whoever asked for it shows the source instead. */
export class UnexpectedMarkup extends Error {}

/**
 * Reads the markup that a library (KaTeX, highlight.js) wrote into nodes, so that even its output passes through
 * the allow-list: `build` makes a node of each element (or puts its children in its place) and throws on what
 * it does not know. This is not an HTML parser; whatever is not strictly well-formed throws UnexpectedMarkup.
 */
export function readMarkup(
  markup: string,
  maxDepth: number,
  build: (element: ReadElement, children: Node[]) => Node | Node[],
): Node[] {
  const open: { element: ReadElement; children: Node[] }[] = []
  const root: Node[] = []
  let children = root
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < markup.length) {
    const match = PIECE.exec(markup)
    if (match === null) throw new UnexpectedMarkup('not well-formed')
    const [, closing, opening, attributes, selfClosing, text] = match
    if (text !== undefined) children.push(decode(text))
    else if (opening !== undefined) {
      if (open.length >= maxDepth) throw new UnexpectedMarkup('nested too deeply')
      const position = PIECE.lastIndex
      const element = { tag: opening, attributes: readAttributes(attributes!) }
      if (selfClosing === '/') append(build(element, []))
      else {
        open.push({ element, children })
        children = []
      }
      PIECE.lastIndex = position
    } else {
      const last = open.pop()
      if (last === undefined || last.element.tag !== closing) throw new UnexpectedMarkup('not balanced')
      const inner = children
      children = last.children
      append(build(last.element, inner))
    }
  }
  if (open.length > 0) throw new UnexpectedMarkup('not balanced')
  return root

  function append(built: Node | Node[]): void {
    if (Array.isArray(built)) for (const node of built) children.push(node)
    else children.push(built)
  }
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const match of text.matchAll(ATTRIBUTE)) attributes.set(match[1]!, decode(match[2]!))
  return attributes
}

function decode(text: string): string {
  return text.includes('&') ? text.replace(REFERENCE, (reference) => CHARACTERS[reference]!) : text
}
