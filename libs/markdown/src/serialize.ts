import type { Node, Tag } from './nodes.ts'

const VOID: ReadonlySet<Tag> = new Set<Tag>(['br', 'hr', 'img'])
const IN_TEXT = /[&<>]/
const IN_ATTRIBUTE = /[&<>"']/

/** Text as HTML: the three characters that can begin or end markup are escaped. */
export function escapeText(text: string): string {
  if (!IN_TEXT.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The value of an attribute, and a block of code, where clients expect quotes to be escaped too. */
function escapeQuoted(value: string): string {
  if (!IN_ATTRIBUTE.test(value)) return value
  return escapeText(value).replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}

/**
 * The only place where HTML is written. Depth is bounded by the limits of the parser (see `limits.ts`), so plain
 * recursion is safe.
 */
export function serialize(nodes: readonly Node[], escaped = escapeText): string {
  let html = ''
  for (const node of nodes) {
    if (typeof node === 'string') {
      html += escaped(node)
      continue
    }
    html += `<${node.tag}`
    if (node.attributes !== null) {
      for (const [name, value] of Object.entries(node.attributes)) html += ` ${name}="${escapeQuoted(value)}"`
    }
    html += '>'
    if (VOID.has(node.tag)) continue
    if (node.children.length > 0)
      html += serialize(node.children, node.tag === 'pre' ? escapeQuoted : escaped)
    html += `</${node.tag}>`
  }
  return html
}
