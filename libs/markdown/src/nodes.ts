/**
 * The tree that every message becomes before it is HTML. Only the names below exist: an element or an attribute
 * that is not listed here cannot be built (it does not compile), so it cannot be in the output either.
 */

export type Tag =
  | 'p'
  | 'br'
  | 'hr'
  | 'strong'
  | 'em'
  | 'del'
  | 'code'
  | 'pre'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'blockquote'
  | 'ul'
  | 'ol'
  | 'li'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td'
  | 'a'
  | 'span'
  | 'div'
  | 'img'
  | 'video'
  | 'audio'
  | 'time'
  | MathTag

/** MathML and the SVG of KaTeX; built only by `katex-markup.ts`, which reads what KaTeX wrote. */
export const MATH_TAGS = [
  'math',
  'semantics',
  'annotation',
  'mrow',
  'mi',
  'mn',
  'mo',
  'ms',
  'mtext',
  'mspace',
  'mpadded',
  'mphantom',
  'mstyle',
  'menclose',
  'mfrac',
  'msqrt',
  'mroot',
  'msub',
  'msup',
  'msubsup',
  'munder',
  'mover',
  'munderover',
  'mtable',
  'mtr',
  'mtd',
  'mlabeledtr',
  'svg',
  'path',
  'line',
] as const
export type MathTag = (typeof MATH_TAGS)[number]

export interface Attributes {
  class?: string
  title?: string
  role?: 'img'
  alt?: string
  href?: SafeUrl
  src?: SafeUrl
  start?: string
  style?: string
  controls?: ''
  preload?: 'metadata'
  datetime?: string
  'aria-label'?: string
  'aria-hidden'?: 'true'
  'data-user-id'?: string
  'data-user-group-id'?: string
  'data-stream-id'?: string
  'data-code-language'?: string
  'data-original-dimensions'?: string
  'data-original-content-type'?: string
  'data-original-src'?: SafeUrl
  'data-transcoded-image'?: string
  'data-animated'?: 'true'
}

/** A URL that `urls.ts` has checked: an in-app path or fragment, or a scheme of its list. */
export type SafeUrl = string & { readonly __safeUrl: true }

export interface Element {
  readonly tag: Tag
  readonly attributes: Attributes | MathAttributes | null
  /** A text is a string. A void element has no children. */
  readonly children: Node[]
}

export type Node = string | Element

/** Attributes of MathML and SVG, already checked against the list in `katex-markup.ts`. */
export type MathAttributes = Readonly<Record<string, string>> & { readonly __math: true }

const NO_CHILDREN: Node[] = []

export function element(tag: Tag, attributes: Attributes | null, children: Node[] = []): Element {
  return { tag, attributes, children }
}

export function voidElement(tag: 'br' | 'hr' | 'img', attributes: Attributes | null = null): Element {
  return { tag, attributes, children: NO_CHILDREN }
}

export function isElement(node: Node | undefined): node is Element {
  return typeof node === 'object'
}

/** The text below a node; `breaks` is what a line break or the end of a block becomes. */
export function textOf(nodes: readonly Node[], breaks = ' '): string {
  let text = ''
  for (const node of nodes) {
    if (typeof node === 'string') text += node
    else if (node.tag === 'br') text += breaks
    else if (node.attributes?.class === 'katex') text += mathSource(node)
    else text += textOf(node.children, breaks) + (BLOCKS.has(node.tag) ? breaks : '')
  }
  return text
}

const BLOCKS: ReadonlySet<Tag> = new Set(
  'p h1 h2 h3 h4 h5 h6 li td th pre div blockquote hr'.split(' ') as Tag[],
)

/** KaTeX keeps the source of a formula in its MathML, as an `annotation`. */
function mathSource(node: Element): string {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    const found = child.tag === 'annotation' ? textOf(child.children) : mathSource(child)
    if (found !== '') return found
  }
  return ''
}
