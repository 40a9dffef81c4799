import { MAX_MATH_LENGTH_EM } from './limits.ts'
import { type ReadElement, readMarkup, UnexpectedMarkup } from './markup-reader.ts'
import { type Element, MATH_TAGS, type MathAttributes, type MathTag, type Node } from './nodes.ts'

/** Levels of elements in one formula; HTML parsers give up well above this. */
const MAX_DEPTH = 240

const TAGS: ReadonlySet<string> = new Set<string>([...MATH_TAGS, 'span'])
const NUMBER = /^[+-]?[\d.]+(?:em|ex|pt|px|mu|%|width)?$/
const KEYWORD = /^[a-zA-Z][\w -]*$/
const COLOR = /^(?:#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,20})$/

/** Attributes that KaTeX writes, and what their values may be. */
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  class: /^[\w -]*$/,
  'aria-hidden': /^true$/,
  xmlns: /^http:\/\/www\.w3\.org\/(?:1998\/Math\/MathML|2000\/svg)$/,
  display: /^(?:block|inline)$/,
  encoding: /^application\/x-tex$/,
  mathvariant: KEYWORD,
  mathcolor: COLOR,
  mathbackground: COLOR,
  stretchy: /^(?:true|false)$/,
  separator: /^true$/,
  fence: /^(?:true|false)$/,
  form: KEYWORD,
  movablelimits: /^(?:true|false)$/,
  accent: /^(?:true|false)$/,
  accentunder: /^(?:true|false)$/,
  largeop: /^(?:true|false)$/,
  symmetric: /^(?:true|false)$/,
  linebreak: /^newline$/,
  displaystyle: /^(?:true|false)$/,
  scriptlevel: /^[+-]?\d+$/,
  lspace: NUMBER,
  rspace: NUMBER,
  width: NUMBER,
  height: NUMBER,
  depth: NUMBER,
  voffset: NUMBER,
  minsize: NUMBER,
  maxsize: NUMBER,
  linethickness: NUMBER,
  rowspacing: /^[\d.em -]*$/,
  columnspacing: /^[\d.em -]*$/,
  columnalign: /^[a-z ]*$/,
  rowalign: /^[a-z ]*$/,
  columnlines: /^[a-z ]*$/,
  rowlines: /^[a-z ]*$/,
  frame: KEYWORD,
  notation: /^[a-z ]*$/,
  side: KEYWORD,
  minlabelspacing: NUMBER,
  fontsize: NUMBER,
  mathsize: NUMBER,
  viewBox: /^[\d. -]+$/,
  preserveAspectRatio: /^[a-zA-Z ]+$/,
  d: /^[\s\d.,a-zA-Z+-]*$/,
  x1: NUMBER,
  x2: NUMBER,
  y1: NUMBER,
  y2: NUMBER,
  'stroke-width': NUMBER,
  stroke: COLOR,
  fill: COLOR,
}

/** Properties of `style` that KaTeX writes; lengths are bounded so that nothing is drawn far away. */
const LENGTHS =
  /^(?:(?:min-|max-)?(?:width|height)|top|bottom|left|right|(?:margin|padding)-(?:left|right|top|bottom)|vertical-align|border(?:-(?:left|right|top|bottom))?-width)$/
const KEYWORDS = /^(?:position|border(?:-(?:left|right|top|bottom))?-style|text-align)$/
const COLORS = /^(?:color|background-color|border(?:-(?:left|right|top|bottom))?-color)$/

/** The nodes of what KaTeX wrote. Throws UnexpectedMarkup when it contains anything but math. */
export function readKatex(markup: string): Node[] {
  return readMarkup(markup, MAX_DEPTH, build)
}

function build({ tag, attributes }: ReadElement, children: Node[]): Element {
  if (!TAGS.has(tag)) throw new UnexpectedMarkup(tag)
  const checked: Record<string, string> = {}
  for (const [name, value] of attributes) {
    if (name === 'style') checkStyle(value)
    else if (!Object.hasOwn(ATTRIBUTES, name) || !ATTRIBUTES[name]!.test(value))
      throw new UnexpectedMarkup(name)
    checked[name] = value
  }
  return { tag: tag as MathTag | 'span', attributes: checked as MathAttributes, children }
}

function checkStyle(style: string): void {
  for (const declaration of style.split(';')) {
    if (declaration.trim() === '') continue
    const [name, value, ...more] = declaration.split(':').map((part) => part.trim())
    if (name === undefined || value === undefined || more.length > 0 || !isHarmless(name, value)) {
      throw new UnexpectedMarkup(declaration)
    }
  }
}

function isHarmless(property: string, value: string): boolean {
  if (LENGTHS.test(property)) {
    const length = Number.parseFloat(value)
    const limit = value.endsWith('%') ? 100 : MAX_MATH_LENGTH_EM
    return (NUMBER.test(value) && Math.abs(length) <= limit) || /^calc\(100% - [\d.]+em\)$/.test(value)
  }
  if (property === 'border') return /^[\d.]+em solid (?:#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,20})$/.test(value)
  if (property === 'margin') return value === '0 -0.02em'
  if (property === 'text-shadow') return value === '0.02em 0.01em 0.04px'
  if (COLORS.test(property)) return COLOR.test(value)
  return KEYWORDS.test(property) && /^(?:relative|solid|dashed|left|right|center)$/.test(value)
}
