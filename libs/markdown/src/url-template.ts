/**
 * RFC 6570 URL templates, all operators of levels 1 to 4, for variables that are strings (the named groups of a
 * linkifier): `https://bugs.example.com/{project}/{+path}{?id}`.
 */
export interface UrlTemplate {
  /** The names that the template uses, once each. */
  names: readonly string[]
  /** Fills in the variables; one that is undefined is left out, as RFC 6570 section 3.2.1 says. */
  expand(values: Readonly<Record<string, string | undefined>>): string
}

interface Operator {
  first: string
  separator: string
  isNamed: boolean
  /** What stands after the name of an empty value. */
  ifEmpty: string
  allowsReserved: boolean
}

/** RFC 6570 appendix A. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  '': { first: '', separator: ',', isNamed: false, ifEmpty: '', allowsReserved: false },
  '+': { first: '', separator: ',', isNamed: false, ifEmpty: '', allowsReserved: true },
  '#': { first: '#', separator: ',', isNamed: false, ifEmpty: '', allowsReserved: true },
  '.': { first: '.', separator: '.', isNamed: false, ifEmpty: '', allowsReserved: false },
  '/': { first: '/', separator: '/', isNamed: false, ifEmpty: '', allowsReserved: false },
  ';': { first: ';', separator: ';', isNamed: true, ifEmpty: '', allowsReserved: false },
  '?': { first: '?', separator: '&', isNamed: true, ifEmpty: '=', allowsReserved: false },
  '&': { first: '&', separator: '&', isNamed: true, ifEmpty: '=', allowsReserved: false },
}

const EXPRESSION = /^([+#./;?&]?)((?:[\w%.]+(?:\*|:[1-9]\d{0,3})?)(?:,[\w%.]+(?:\*|:[1-9]\d{0,3})?)*)$/

type Part = string | { operator: Operator; variables: { name: string; prefix: number | undefined }[] }

/** Reads a template. Throws a SyntaxError that says which expression is not valid. */
export function compileTemplate(template: string): UrlTemplate {
  const parts: Part[] = []
  const names = new Set<string>()
  for (const piece of template.split(/(\{[^{}]*\})/)) {
    if (!piece.startsWith('{') || !piece.endsWith('}')) {
      if (/[{}]/.test(piece)) throw new SyntaxError(`Unbalanced brace in URL template: ${piece}`)
      parts.push(encodeLiteral(piece))
      continue
    }
    const match = EXPRESSION.exec(piece.slice(1, -1))
    if (match === null) throw new SyntaxError(`Invalid expression in URL template: ${piece}`)
    const variables = match[2]!.split(',').map((variable) => {
      const [name, prefix] = variable.replace(/\*$/, '').split(':') as [string, string?]
      names.add(name)
      return { name, prefix: prefix === undefined ? undefined : Number(prefix) }
    })
    parts.push({ operator: OPERATORS[match[1]!]!, variables })
  }
  return { names: [...names], expand: (values) => parts.map((part) => expandPart(part, values)).join('') }
}

function expandPart(part: Part, values: Readonly<Record<string, string | undefined>>): string {
  if (typeof part === 'string') return part
  const { operator } = part
  const expanded: string[] = []
  for (const { name, prefix } of part.variables) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) continue
    const shown = prefix === undefined ? value : Array.from(value).slice(0, prefix).join('')
    const encoded = operator.allowsReserved ? encodeLiteral(shown) : encodeValue(shown)
    if (!operator.isNamed) expanded.push(encoded)
    else expanded.push(encoded === '' ? `${name}${operator.ifEmpty}` : `${name}=${encoded}`)
  }
  return expanded.length === 0 ? '' : operator.first + expanded.join(operator.separator)
}

/** Everything but unreserved characters is percent-encoded. */
function encodeValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Reserved characters and existing percent-encoding stay. */
function encodeLiteral(text: string): string {
  return text
    .toWellFormed()
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((piece, index) =>
      index % 2 === 1 ? piece : encodeURI(piece).replaceAll('%5B', '[').replaceAll('%5D', ']'),
    )
    .join('')
}
