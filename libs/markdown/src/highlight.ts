import hljs from 'highlight.js/lib/core'
import type { RenderEnvironment } from './environment.ts'
import { LANGUAGES, languageLabel } from './languages.ts'
import { type ReadElement, readMarkup } from './markup-reader.ts'
import { type Element, element, type Node } from './nodes.ts'

/**
 * The classes of Pygments, which clients style, by the scopes of highlight.js; a scope that is not here has no
 * colour. https://highlightjs.readthedocs.io lists the scopes, https://pygments.org/docs/tokens the classes.
 */
const CLASSES: Readonly<Record<string, string>> = {
  addition: 'gi',
  attr: 'na',
  attribute: 'na',
  built_in: 'nb',
  comment: 'c',
  deletion: 'gd',
  doctag: 'sd',
  emphasis: 'ge',
  keyword: 'k',
  literal: 'kc',
  meta: 'cp',
  name: 'nt',
  number: 'mi',
  operator: 'o',
  property: 'py',
  punctuation: 'p',
  regexp: 'sr',
  section: 'gh',
  'selector-class': 'nc',
  'selector-id': 'nn',
  'selector-pseudo': 'nd',
  'selector-tag': 'nt',
  string: 's',
  strong: 'gs',
  subst: 'si',
  symbol: 'ss',
  tag: 'nt',
  'template-tag': 'cp',
  'template-variable': 'nv',
  title: 'nf',
  'title class_': 'nc',
  'title function_': 'nf',
  type: 'kt',
  variable: 'nv',
  'variable constant_': 'no',
  'variable language_': 'bp',
}

const MAX_DEPTH = 60

for (const [name, definition] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, definition)

/** A block of code, coloured when its language is known and the message's share of colouring is not used up. */
export function codeBlock(code: string, language: string, environment: RenderEnvironment): Element {
  const label = languageLabel(language)
  const text = code.endsWith('\n') || code === '' ? code : `${code}\n`
  const attributes =
    label === undefined ? { class: 'codehilite' } : { class: 'codehilite', 'data-code-language': label }
  const content = element('code', null, coloured(text, language.toLowerCase(), environment))
  return element('div', attributes, [element('pre', null, [element('span', null), content])])
}

function coloured(code: string, language: string, environment: RenderEnvironment): Node[] {
  if (language === '' || hljs.getLanguage(language) === undefined) return [code]
  if (code.length > environment.highlightLeft) return [code]
  environment.highlightLeft -= code.length
  try {
    return readMarkup(hljs.highlight(code, { language, ignoreIllegals: true }).value, MAX_DEPTH, colour)
  } catch {
    // A grammar that fails on some input costs the colours, not the message.
    return [code]
  }
}

function colour({ tag, attributes }: ReadElement, children: Node[]): Node | Node[] {
  const scope = attributes.get('class')?.replace(/^hljs-/, '') ?? ''
  const name = Object.hasOwn(CLASSES, scope) ? CLASSES[scope] : CLASSES[scope.split(' ', 1)[0]!]
  return tag === 'span' && name !== undefined ? element('span', { class: name }, children) : children
}
