import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type DefaultTreeAdapterMap, parseFragment, serialize } from 'parse5'

type Child = DefaultTreeAdapterMap['childNode']
type ElementNode = DefaultTreeAdapterMap['element']

/** What a message may contain, written down independently of the renderer: attributes by element. */
const ATTRIBUTES: Record<string, readonly string[]> = {
  a: ['class', 'data-stream-id', 'href', 'title'],
  audio: ['controls', 'preload', 'src', 'title'],
  blockquote: [],
  br: [],
  code: [],
  del: [],
  div: ['aria-hidden', 'class', 'data-code-language'],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  img: [
    'alt',
    'class',
    'data-animated',
    'data-original-content-type',
    'data-original-dimensions',
    'data-original-src',
    'data-transcoded-image',
    'src',
    'title',
  ],
  li: [],
  ol: ['start'],
  p: [],
  pre: [],
  span: ['aria-label', 'class', 'data-user-group-id', 'data-user-id', 'role', 'title'],
  strong: [],
  table: [],
  tbody: [],
  td: ['style'],
  th: ['style'],
  thead: [],
  time: ['datetime'],
  tr: [],
  ul: [],
  video: ['preload', 'src'],
}

const CLASSES = new Set(
  (
    'user-mention user-group-mention topic-mention channel-wildcard-mention silent stream stream-topic message-link ' +
    'emoji inline-image image-loading-placeholder message_inline_image message_inline_video codehilite spoiler-block ' +
    'spoiler-header spoiler-content katex katex-display tex-error'
  ).split(' '),
)
const CODE_CLASS = /^[a-z][a-z0-9]{0,2}$/
const EMOJI_CLASS = /^emoji-[0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*$/

const katexCss = readFileSync(createRequire(import.meta.url).resolve('katex/dist/katex.css'), 'utf8')
/** Classes that KaTeX's own style sheet knows, and those that it writes without styling them. */
const KATEX_CLASSES = new Set([
  ...Array.from(katexCss.matchAll(/\.([a-zA-Z][\w-]*)/g), (match) => match[1]!),
  ...(
    'amsrm nobreak allowbreak mathbb mathnormal mathrm mathbf mathit mathsf mathtt mathcal mathfrak mathscr mord mbin mrel mopen mclose minner mop mpunct ' +
    'mspace mtight text textbf textit textrm textsf texttt reset-size6 vlist-t2 nulldelimiter delimcenter mult ' +
    'op-limits op-symbol small-op large-op vcenter hide-tail mfrac mtr-glue mml-eqn-num amp cjk_fallback latin_fallback ' +
    'textup textmd newline enclosing fbox sout cancel-pad anglpad boxpad neutral mover munder fontsize-ensurer stretchy ' +
    'halfarrow-left halfarrow-right brace-left brace-center brace-right x-arrow-pad cd-arrow-pad tag bold-italic boldsymbol ' +
    'underline overline accent accent-body accent-full overlay mathbfit cd-vert-arrow cd-label-left cd-label-right mtable col-align-c col-align-l col-align-r vertical-separator arraycolsep hline hdashline'
  ).split(' '),
])
const MATH = new Set(
  (
    'math semantics annotation mrow mi mn mo ms mtext mspace mpadded mphantom mstyle menclose mfrac msqrt mroot msub msup ' +
    'msubsup munder mover munderover mtable mtr mtd mlabeledtr svg path line span'
  ).split(' '),
)
const MATH_ATTRIBUTE =
  /^(?:class|style|aria-hidden|xmlns|display|encoding|math\w+|stretchy|separator|fence|form|movablelimits|accent|accentunder|displaystyle|scriptlevel|[lr]space|width|height|depth|voffset|minsize|maxsize|linethickness|rowspacing|columnspacing|columnalign|rowalign|columnlines|rowlines|frame|notation|side|fontsize|linebreak|viewBox|preserveAspectRatio|d|[xy][12]|stroke-width|stroke|fill|symmetric|largeop|minlabelspacing)$/
const STYLE = /^(?:[a-z-]+: ?[\w.%#() -]+;)*$/
const UNSAFE_STYLE = /url|expression|import|behavior|fixed|absolute|@/i

const SCHEMES = new Set(
  'http: https: ftp: mailto: tel: sms: xmpp: irc: ircs: geo: magnet: bitcoin:'.split(' '),
)
const OWN_FILES = /^\/(?:user_uploads|user_avatars|static)\//

/** Browsers flatten what is nested more deeply than 512 elements. */
const MAX_DEPTH = 300

/** Tells everything in rendered HTML that should not be there; empty when all is well. */
export function violations(html: string): string[] {
  const found: string[] = []
  const fragment = parseFragment(html, {
    onParseError: ({ code }) => {
      // Such characters may be in a text; they are no markup.
      if (!code.endsWith('in-input-stream')) found.push(`parse error: ${code}`)
    },
  })
  for (const child of fragment.childNodes) visit(child, false, 1, found)
  const again = serialize(fragment)
  if (again !== asParse5Writes(html)) found.push(`an HTML parser reads another tree: ${again}`)
  return found
}

/** The text that a reader sees. */
export function textContent(html: string): string {
  const text = (node: Child): string =>
    'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(text).join('') : ''
  return parseFragment(html).childNodes.map(text).join('')
}

/** Our HTML in the spelling of parse5, which escapes a little less in attributes and code and more in text. */
function asParse5Writes(html: string): string {
  return html
    .replace(/<pre>.*?<\/pre>/gs, (code) => code.replaceAll('&quot;', '"'))
    .replaceAll('&#39;', "'")
    .replaceAll('\u00a0', '&nbsp;')
}

function visit(node: Child, isInMath: boolean, depth: number, found: string[]): void {
  if (depth === MAX_DEPTH) found.push('nested too deeply')
  if (!('tagName' in node)) {
    if (node.nodeName !== '#text') found.push(`a ${node.nodeName}`)
    return
  }
  const isMath = isInMath || classesOf(node).includes('katex')
  if (isMath) checkMath(node, found)
  else checkElement(node, found)
  for (const child of node.childNodes) visit(child, isMath, depth + 1, found)
}

function classesOf(node: ElementNode): string[] {
  const value = node.attrs.find(({ name }) => name === 'class')?.value ?? ''
  return value.split(' ').filter((part) => part !== '')
}

function checkElement(node: ElementNode, found: string[]): void {
  const allowed = ATTRIBUTES[node.tagName]
  if (allowed === undefined) {
    found.push(`<${node.tagName}>`)
    return
  }
  for (const { name, value } of node.attrs) {
    if (!allowed.includes(name)) found.push(`${node.tagName} has ${name}="${value}"`)
    if (name === 'href' || name === 'src' || name === 'data-original-src') checkUrl(name, value, found)
    if (name === 'style' && !/^text-align: (?:left|right|center);$/.test(value)) found.push(`style ${value}`)
    if (name === 'datetime' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value))
      found.push(`datetime ${value}`)
    if (name === 'start' && !/^\d{1,9}$/.test(value)) found.push(`start ${value}`)
    if (name.endsWith('-id') && !/^(?:\d+|\*)$/.test(value)) found.push(`${name} ${value}`)
  }
  for (const name of classesOf(node)) {
    const isCode = node.tagName === 'span' && node.attrs.length === 1 && CODE_CLASS.test(name)
    if (!CLASSES.has(name) && !EMOJI_CLASS.test(name) && !isCode) found.push(`class ${name}`)
  }
}

function checkUrl(name: string, value: string, found: string[]): void {
  const url = URL.parse(value, 'https://chat.example.com/')
  const isOwn = /^(?:\/(?![/\\])|[#?])/.test(value)
  if (url === null || !SCHEMES.has(url.protocol)) {
    // An address that no client can parse leads nowhere; it must still not look like a script.
    if (!/^(?:https?|ftp):\/\//i.test(value)) found.push(`${name} ${value}`)
    return
  }
  if (isOwn && url.host !== 'chat.example.com') found.push(`${name} leaves the host: ${value}`)
  if (!isOwn && !/^[a-z]+:/i.test(value)) found.push(`${name} is relative: ${value}`)
  if (name !== 'href' && !OWN_FILES.test(value)) found.push(`${name} loads ${value}`)
}

function checkMath(node: ElementNode, found: string[]): void {
  if (!MATH.has(node.tagName)) found.push(`<${node.tagName}> in math`)
  for (const { name, value } of node.attrs) {
    if (!MATH_ATTRIBUTE.test(name)) found.push(`${name}="${value}" in math`)
    if (name === 'style' && (!STYLE.test(value) || UNSAFE_STYLE.test(value)))
      found.push(`style ${value} in math`)
  }
  for (const name of classesOf(node)) if (!KATEX_CLASSES.has(name)) found.push(`class ${name} in math`)
}
