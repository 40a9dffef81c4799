import { type Lexer, lexerFor, matchAt, type Piece } from './lexer.ts'

/** A lexer that looks at one line at a time. */
function byLine(lexLine: (line: string) => readonly Piece[]): Lexer {
  return (code) => {
    const pieces: Piece[] = []
    for (const line of code.split(/(?<=\n)/)) pieces.push(...lexLine(line))
    return pieces
  }
}

/** Changes as `diff` writes them. */
export const diff = byLine((line) => {
  if (/^(?:diff|index|\+\+\+|---|Index:)/.test(line)) return [['gh', line]]
  if (line.startsWith('@@')) return [['gu', line]]
  if (line.startsWith('+') || line.startsWith('>')) return [['gi', line]]
  if (line.startsWith('-') || line.startsWith('<')) return [['gd', line]]
  return [[undefined, line]]
})

const PROMPT = /^(?:\([^()\n]{1,40}\) ?)?(?:[\w.@:~/ -]{0,60}[$#%>]|>>>|\.\.\.|In \[\d+\]:) /

/** A session in a terminal: what follows a prompt is a command, the rest is output. */
export function session(command: Lexer): Lexer {
  return byLine((line) => {
    const prompt = PROMPT.exec(line)?.[0]
    return prompt === undefined ? [['go', line]] : [['gp', prompt], ...command(line.slice(prompt.length))]
  })
}

const value = lexerFor({
  constants: 'true false null yes no on off',
  comments: ['#', ';'],
  quotes: ['"', "'"],
})
/** How far into a line the sign after its key is looked for. */
const LONGEST_KEY = 200

/** Sections in brackets and `key = value`. */
export const properties = byLine((line) => {
  const text = line.trim()
  if (text.startsWith('#') || text.startsWith(';')) return [['c1', line]]
  if (text.startsWith('[') && text.endsWith(']')) return [['k', line]]
  const sign = line.slice(0, LONGEST_KEY).search(/[=:"'#;]/)
  if (sign < 0 || !'=:'.includes(line[sign]!)) return value(line)
  return [['na', line.slice(0, sign)], ['o', line[sign]!], ...value(line.slice(sign + 1))]
})

const YAML_KEY = /^(\s*(?:- )*)([^\s#:&*"'[{|>-][^\n:#]{0,200}|"[^"\n]{0,200}"|'[^'\n]{0,200}')(:)(?=\s|$)/
const yamlValue = lexerFor({
  constants: 'true false null yes no on off True False',
  comments: ['#'],
  quotes: ['"', "'"],
  variables: '&*',
})

/** YAML: keys, comments and scalars, line by line. */
export const yaml = byLine((line) => {
  if (/^(?:---|\.\.\.)\s*$/.test(line)) return [['p', line]]
  const match = YAML_KEY.exec(line)
  if (match === null) return yamlValue(line)
  const [all, indent, key, colon] = match as unknown as [string, string, string, string]
  return [[undefined, indent], ['nt', key], ['p', colon], ...yamlValue(line.slice(all.length))]
})

const HEADER = /^([\w-]{1,80})(:)/
const REQUEST = /^(?:[A-Z]{3,10} \S|HTTP\/\d)/

/** HTTP messages: the first line, headers, and a body that is left alone. */
export const http = byLine((line) => {
  if (REQUEST.test(line)) return [['k', line]]
  const match = HEADER.exec(line)
  if (match === null) return [[undefined, line]]
  return [
    ['na', match[1]!],
    ['o', ':'],
    ['s', line.slice(match[0].length)],
  ]
})

const COMMENT = /<!--/y
const TAG = /<\/?[a-zA-Z][\w:.-]*|<[!?][a-zA-Z]*/y
const ATTRIBUTE = /[a-zA-Z_:@][\w:.-]*/y
const QUOTED = /"[^"]*"?|'[^']*'?/y
const TAG_END = /\/?\??>/y
const ENTITY = /&#?\w{1,32};/y
const TEXT = /[^<&]+/y

/** HTML and XML: tags, attributes, comments, references. */
export const markup: Lexer = (code) => {
  const pieces: Piece[] = []
  let isInTag = false
  let position = 0
  const take = (className: string | undefined, end: number) => {
    pieces.push([className, code.slice(position, end)])
    position = end
  }
  const tries: (readonly [RegExp, string])[] = [
    [ATTRIBUTE, 'na'],
    [QUOTED, 's'],
  ]
  while (position < code.length) {
    if (isInTag) {
      const end = matchAt(TAG_END, code, position)
      if (end > position) {
        isInTag = false
        take('nt', end)
        continue
      }
      const found = tries.find(([pattern]) => matchAt(pattern, code, position) > position)
      if (found === undefined) take(undefined, position + 1)
      else take(found[1], matchAt(found[0], code, position))
    } else if (matchAt(COMMENT, code, position) > position) {
      const end = code.indexOf('-->', position + 4)
      take('cm', end < 0 ? code.length : end + 3)
    } else if (matchAt(TAG, code, position) > position) {
      isInTag = true
      take('nt', matchAt(TAG, code, position))
    } else if (matchAt(ENTITY, code, position) > position) take('ni', matchAt(ENTITY, code, position))
    else take(undefined, Math.max(matchAt(TEXT, code, position), position + 1))
  }
  return pieces
}

const COMMAND = /\\(?:[a-zA-Z@]+\*?|[^a-zA-Z\s])/y
const TEX_COMMENT = /%[^\n]*/y
const TEX_TEXT = /[^\\%{}$&[\]]+/y

/** TeX: commands, groups, comments. */
export const tex: Lexer = (code) => {
  const pieces: Piece[] = []
  let position = 0
  while (position < code.length) {
    const found = (
      [
        [COMMAND, 'k'],
        [TEX_COMMENT, 'c'],
        [TEX_TEXT, undefined],
      ] as const
    ).find(([pattern]) => matchAt(pattern, code, position) > position)
    const end = found === undefined ? position + 1 : matchAt(found[0], code, position)
    pieces.push([found === undefined ? 'nb' : found[1], code.slice(position, end)])
    position = end
  }
  return pieces
}
