/** A text with `{name}` for what a group covers; `{{` and `}}` stand for the braces themselves (level 471). */
export interface ReverseTemplate {
  readonly names: readonly string[]
  expand(groups: Readonly<Record<string, string | undefined>>): string
}

const piece = /\{\{|\}\}|\{(\w+)\}|[^{}]+/y

/** @throws SyntaxError that says where a brace stands alone. */
export const compileReverse = (template: string): ReverseTemplate => {
  const parts: ({ text: string } | { name: string })[] = []
  piece.lastIndex = 0
  while (piece.lastIndex < template.length) {
    const at = piece.lastIndex
    const match = piece.exec(template)
    if (match === null) throw new SyntaxError(`Unbalanced brace at ${at}`)
    const [text, name] = match
    if (name !== undefined) parts.push({ name })
    else parts.push({ text: text === '{{' ? '{' : text === '}}' ? '}' : text })
  }
  return {
    names: [...new Set(parts.flatMap((part) => ('name' in part ? [part.name] : [])))],
    expand: (groups) =>
      parts.map((part) => ('name' in part ? (groups[part.name] ?? '') : part.text)).join(''),
  }
}
