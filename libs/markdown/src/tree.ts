import type { Token } from 'markdown-it'
import type { RenderEnvironment } from './environment.ts'
import { codeBlock } from './highlight/code-block.ts'
import { MAX_INLINE_DEPTH } from './limits.ts'
import { mathBlock } from './math.ts'
import {
  type Attributes,
  type Element,
  element,
  isElement,
  type Node,
  type SafeUrl,
  type Tag,
  voidElement,
} from './nodes.ts'
import { parser } from './parser.ts'

/** Blocks that are one element around others, by the name of their token. */
const BLOCKS: Readonly<Record<string, Tag>> = {
  blockquote: 'blockquote',
  bullet_list: 'ul',
  ordered_list: 'ol',
  list_item: 'li',
  paragraph: 'p',
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
}
const MARKS: Readonly<Record<string, Tag>> = { strong: 'strong', em: 'em', s: 'del', link: 'a' }
/** Blocks after which the previews of the files in them are placed. */
const PREVIEWED = new Set(['paragraph', 'heading', 'table', 'list_item', 'spoiler'])
interface Open {
  /** Where children go; undefined for a paragraph of a tight list, whose text belongs to the item. */
  children: Node[]
  close(): void
}

/** The tree of a message. */
export function buildTree(content: string, environment: RenderEnvironment): Node[] {
  const tokens: Token[] = []
  parser.block.parse(content, parser, environment as never, tokens)
  return new TreeBuilder(environment).build(tokens)
}

class TreeBuilder {
  private readonly environment: RenderEnvironment
  private readonly root: Node[] = []
  private children: Node[] = this.root
  private readonly open: Open[] = []
  /** Whether each open list has its items' text without paragraphs. */
  private readonly tight: boolean[] = []

  constructor(environment: RenderEnvironment) {
    this.environment = environment
  }

  build(tokens: readonly Token[]): Node[] {
    for (const token of tokens) {
      if (token.nesting === 1) this.openBlock(token)
      else if (token.nesting === -1) this.closeBlock(token)
      else this.addLeaf(token)
    }
    this.placePreviews()
    return this.root
  }

  private openBlock(token: Token): void {
    const type = token.type.slice(0, -'_open'.length)
    if (type === 'spoiler') {
      this.openSpoiler(token)
      return
    }
    if (type === 'bullet_list' || type === 'ordered_list') this.tight.push(token.hidden)
    if (type === 'blockquote') {
      this.environment.quoteDepth++
      this.tight.push(false)
    }
    const isBare = type === 'paragraph' && this.isTightItem()
    const { children: parent } = this
    if (isBare) {
      this.open.push({ children: parent, close: () => {} })
      return
    }
    const block = element((BLOCKS[type] ?? token.tag) as Tag, attributesOf(type, token))
    this.open.push({
      children: parent,
      close: () => {
        if (block.tag === 'p' && block.children.every((node) => node === '')) return
        const isEmptyQuote = block.tag === 'blockquote' && block.children.length === 0
        this.append(isEmptyQuote ? element('p', null, ['>']) : block, parent)
      },
    })
    this.children = block.children
  }

  private openSpoiler(token: Token): void {
    const header = element('div', { class: 'spoiler-header' })
    const content = element('div', { class: 'spoiler-content', 'aria-hidden': 'true' })
    const { children: parent } = this
    const title = this.inline(token.content)
    if (title.length > 0) this.append(element('p', null, title), header.children)
    else header.children.push('\n')
    this.tight.push(false)
    this.open.push({
      children: parent,
      close: () => this.append(element('div', { class: 'spoiler-block' }, [header, content]), parent),
    })
    this.children = content.children
  }

  private closeBlock(token: Token): void {
    const type = token.type.slice(0, -'_close'.length)
    if (type === 'list_item' || type === 'spoiler') this.placePreviews()
    const { children, close } = this.open.pop()!
    this.children = children
    close()
    if (type === 'blockquote') this.environment.quoteDepth--
    if (type === 'blockquote' || type === 'spoiler' || type.endsWith('_list')) this.tight.pop()
    if (PREVIEWED.has(type) && !(type === 'paragraph' && this.isTightItem())) this.placePreviews()
  }

  private addLeaf(token: Token): void {
    switch (token.type) {
      case 'inline':
        for (const node of this.inline(token.content)) this.children.push(node)
        break
      case 'hr':
        this.append(voidElement('hr'), this.children)
        break
      case 'math_block':
        this.append(mathBlock(token.content.trimEnd(), this.environment), this.children)
        break
      case 'code_block': {
        const language = token.info === '' ? (this.environment.context.defaultCodeLanguage ?? '') : token.info
        this.append(codeBlock(token.content, token.block ? language : '', this.environment), this.children)
        break
      }
      default:
        throw new Error(`No such block: ${token.type}`)
    }
  }

  private inline(text: string): Node[] {
    const tokens: Token[] = []
    parser.inline.parse(text.trim(), parser, this.environment as never, tokens)
    return inlineNodes(tokens)
  }

  private isTightItem(): boolean {
    return this.tight.at(-1) === true
  }

  /** Adds a block; blocks are separated by line ends, which mean nothing but keep the HTML readable. */
  private append(block: Element, parent: Node[]): void {
    if (parent === this.root) {
      if (parent.length > 0) parent.push('\n')
      parent.push(block)
      return
    }
    if (parent.length === 0) parent.push('\n')
    parent.push(block, '\n')
  }

  /** A paragraph that is nothing but the address of the file gives way to the preview. */
  private placePreviews(): void {
    const { previews } = this.environment
    if (previews.length === 0) return
    this.environment.previews = []
    const last = this.children.at(-1)
    if (previews.length === 1 && isElement(last) && isBareLink(last)) {
      this.children.pop()
      if (this.children === this.root && this.children.at(-1) === '\n') this.children.pop()
    }
    for (const preview of previews) this.append(preview, this.children)
  }
}

/** Whether a paragraph is a single link whose text is its own address. */
function isBareLink(block: Element): boolean {
  const link = block.children[0]
  if (block.tag !== 'p' || block.children.length !== 1 || !isElement(link) || link.tag !== 'a') return false
  const text = link.children[0]
  return (
    typeof text === 'string' &&
    /^https?:\/\//.test(text) &&
    text.endsWith((link.attributes as Attributes).href ?? '/')
  )
}

function attributesOf(type: string, token: Token): Attributes | null {
  if (type === 'ordered_list') return token.meta!.start === 1 ? null : { start: String(token.meta!.start) }
  const alignment = /^text-align:(left|right|center)$/.exec(String(token.attrGet('style')))?.[1]
  return alignment === undefined ? null : { style: `text-align: ${alignment};` }
}

/** The nodes of one run of inline tokens; marks nested too deeply have no effect. */
function inlineNodes(tokens: readonly Token[]): Node[] {
  const root: Node[] = []
  const open: Node[][] = [root]
  for (const token of tokens) {
    const children = open.at(-1)!
    if (token.nesting === 1) {
      const tag = MARKS[token.type.slice(0, -'_open'.length)]!
      const attributes = tag === 'a' ? { href: token.meta!.target as SafeUrl } : null
      const mark = element(tag, attributes)
      if (open.length > MAX_INLINE_DEPTH) open.push(children)
      else {
        children.push(mark)
        open.push(mark.children)
      }
    } else if (token.nesting === -1) {
      open.pop()
      if (token.type === 'em_close') strongOutside(open.at(-1)!)
    } else if (token.type === 'node') children.push(token.meta!.node as Node)
    else if (token.type === 'softbreak' || token.type === 'hardbreak') children.push(voidElement('br'), '\n')
    else if (token.content !== '') children.push(token.content)
  }
  return root
}

/** Of `***text***` the strong element is the outer one, as clients of the API expect. */
function strongOutside(nodes: Node[]): void {
  const outer = nodes.at(-1)
  if (!isElement(outer) || outer.tag !== 'em' || outer.children.length !== 1) return
  const inner = outer.children[0]
  if (isElement(inner) && inner.tag === 'strong')
    nodes[nodes.length - 1] = element('strong', null, [element('em', null, inner.children)])
}
