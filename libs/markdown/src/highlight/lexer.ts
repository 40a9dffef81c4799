/** A piece of code and the Pygments class that says what it is; no class is plain. */
export type Piece = readonly [className: string | undefined, text: string]

/** Cuts code into pieces which together are the code. */
export type Lexer = (code: string) => Piece[]

/** What a language looks like. Words are given as one string separated by spaces. */
export interface Syntax {
  keywords?: string
  /** Words that declare: `let`, `class`; the name after `class` and its kind is a class, after `def` a function. */
  declarations?: string
  types?: string
  constants?: string
  builtins?: string
  /** Names with a meaning that the language only suggests: `self`. */
  pseudo?: string
  /** What begins a comment to the end of the line. */
  comments?: readonly string[]
  blockComments?: readonly (readonly [string, string])[]
  /** Quotes of strings; longer ones first. */
  quotes?: readonly string[]
  /** Quotes whose strings may contain line ends. */
  multilineQuotes?: readonly string[]
  /** Whether a backslash in a string takes away the meaning of the next character; default true. */
  escapes?: boolean
  ignoresCase?: boolean
  /** Characters that are part of a word besides letters, digits and `_`. */
  wordCharacters?: string
  /** Characters that are punctuation besides brackets, commas, semicolons and periods. */
  punctuation?: string
  /** Characters that begin a variable (`$name`) and an annotation (`@name`). */
  variables?: string
  annotations?: string
  /** Lines that begin with this are for a preprocessor. */
  preprocessor?: string
  /** Strings before a colon are keys. */
  hasKeys?: boolean
}

const CLASS_WORDS = new Set([
  'class',
  'interface',
  'struct',
  'enum',
  'trait',
  'object',
  'module',
  'protocol',
  'record',
])
const FUNCTION_WORDS = new Set(['def', 'fn', 'fun', 'func', 'function', 'sub', 'defp', 'defun', 'defn'])
const NUMBER = /0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?[a-zA-Z%]{0,4}/y
const SPACE = /\s+/y
const OPERATOR = /[-+*/%=<>!&|^~?:@#$\\`'"]+?/y
const PUNCTUATION = '()[]{},;.'
const BEFORE_COLON = /[ \t]{0,20}:/y

/**
 * A lexer for a language that has words, strings, comments and numbers. It looks at every character a bounded
 * number of times: whatever begins (a string, a comment) is consumed even when it never ends. That is why this is
 * here instead of a library of grammars whose regular expressions are quadratic on some input.
 */
export function lexerFor(syntax: Syntax): Lexer {
  const fold = (word: string) => (syntax.ignoresCase === true ? word.toLowerCase() : word)
  const classes = new Map<string, string>()
  const register = (words: string | undefined, className: string) => {
    for (const word of words?.split(' ') ?? []) classes.set(fold(word), className)
  }
  register(syntax.builtins, 'nb')
  register(syntax.pseudo, 'bp')
  register(syntax.types, 'kt')
  register(syntax.constants, 'kc')
  register(syntax.keywords, 'k')
  register(syntax.declarations, 'kd')
  const punctuation = `${PUNCTUATION}${syntax.punctuation ?? ''}`
  const extra = escapeClass(syntax.wordCharacters ?? '')
  const word = new RegExp(`[\\p{L}_${extra}][\\p{L}\\p{N}_${extra}]*`, 'uy')
  const sigils = escapeClass(`${syntax.variables ?? ''}${syntax.annotations ?? ''}`)
  const sigil =
    sigils === ''
      ? undefined
      : new RegExp(`[${sigils}](?:[\\p{L}_][\\p{L}\\p{N}_]*|\\{[^}\\n]{0,80}\\}|\\d)`, 'uy')

  return (code) => {
    const pieces: Piece[] = []
    let position = 0
    let previousWord = ''
    const take = (className: string | undefined, end: number) => {
      pieces.push([className, code.slice(position, end)])
      position = end
    }
    while (position < code.length) {
      const space = matchAt(SPACE, code, position)
      if (space > position) {
        take(undefined, space)
        continue
      }
      const comment = commentEnd(code, position, syntax)
      if (comment !== undefined) {
        take(...comment)
        continue
      }
      const string = stringEnd(code, position, syntax)
      if (string !== undefined) {
        take(...string)
        continue
      }
      const variable = sigil === undefined ? position : matchAt(sigil, code, position)
      if (variable > position) {
        take(syntax.annotations?.includes(code[position]!) === true ? 'nd' : 'nv', variable)
        continue
      }
      const wordEnd = matchAt(word, code, position)
      if (wordEnd > position) {
        const text = code.slice(position, wordEnd)
        take(wordClass(text, previousWord, code[wordEnd]), wordEnd)
        previousWord = text
        continue
      }
      const number = matchAt(NUMBER, code, position)
      if (number > position) {
        take(numberClass(code.slice(position, number)), number)
        continue
      }
      if (punctuation.includes(code[position]!)) take('p', position + 1)
      else if (matchAt(OPERATOR, code, position) > position) take('o', position + 1)
      else take(undefined, position + 1)
      previousWord = ''
    }
    return pieces
  }

  function wordClass(text: string, previous: string, next: string | undefined): string {
    const known = classes.get(fold(text))
    if (known !== undefined) return known
    if (CLASS_WORDS.has(previous)) return 'nc'
    if (FUNCTION_WORDS.has(previous) || next === '(') return 'nf'
    return 'n'
  }
}

function escapeClass(characters: string): string {
  return characters.replace(/[\]\\^-]/g, '\\$&')
}

/** Where a sticky pattern's match at a position ends; the position itself when there is none. */
export function matchAt(pattern: RegExp, code: string, position: number): number {
  pattern.lastIndex = position
  return pattern.test(code) ? pattern.lastIndex : position
}

function lineEnd(code: string, from: number): number {
  const end = code.indexOf('\n', from)
  return end < 0 ? code.length : end
}

/** Whether only some spaces are before a position in its line. */
function beginsLine(code: string, position: number): boolean {
  let before = position - 1
  while (before >= position - 40 && (code[before] === ' ' || code[before] === '\t')) before--
  return before < 0 || code[before] === '\n'
}

function commentEnd(code: string, position: number, syntax: Syntax): [string, number] | undefined {
  const { preprocessor } = syntax
  if (preprocessor !== undefined && code.startsWith(preprocessor, position) && beginsLine(code, position)) {
    return ['cp', lineEnd(code, position)]
  }
  for (const [begin, end] of syntax.blockComments ?? []) {
    if (!code.startsWith(begin, position)) continue
    const close = code.indexOf(end, position + begin.length)
    return ['cm', close < 0 ? code.length : close + end.length]
  }
  for (const begin of syntax.comments ?? [])
    if (code.startsWith(begin, position)) return ['c1', lineEnd(code, position)]
  return undefined
}

function stringEnd(code: string, position: number, syntax: Syntax): [string, number] | undefined {
  for (const quote of [...(syntax.multilineQuotes ?? []), ...(syntax.quotes ?? [])]) {
    if (!code.startsWith(quote, position)) continue
    const isMultiline = syntax.multilineQuotes?.includes(quote) === true
    const end = closingQuote(code, position + quote.length, quote, isMultiline, syntax.escapes !== false)
    if (syntax.hasKeys === true && matchAt(BEFORE_COLON, code, end) > end) return ['nt', end]
    return [quote.length > 1 ? 'sd' : quote === "'" ? 's1' : quote === '`' ? 'sb' : 's2', end]
  }
  return undefined
}

/** The end of a string's content and its quote, or of the line (the text) if it isn't closed. */
function closingQuote(
  code: string,
  from: number,
  quote: string,
  isMultiline: boolean,
  escapes: boolean,
): number {
  for (let position = from; position < code.length; position++) {
    const character = code[position]
    if (character === '\\' && escapes) position++
    else if (character === '\n' && !isMultiline) return position
    else if (character === quote[0] && code.startsWith(quote, position)) return position + quote.length
  }
  return code.length
}

function numberClass(text: string): string {
  if (/^0[xX]/.test(text)) return 'mh'
  return /[.eE]/.test(text) ? 'mf' : 'mi'
}
