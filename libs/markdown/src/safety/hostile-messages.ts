/** Messages that are expensive for a careless renderer: a name and the message of about a length. */
export interface HostileMessage {
  name: string
  ofLength(length: number): string
}

function repeated(unit: string): HostileMessage {
  return { name: JSON.stringify(unit), ofLength: (length) => fill(unit, length) }
}

function fill(unit: string, length: number): string {
  const count = Math.max(0, Math.ceil(length / unit.length))
  return unit.repeat(count).slice(0, Math.max(0, length))
}

/** Counts up in one character until the length is reached: runs that never match one another. */
function runs(mark: string, between: string): HostileMessage {
  return {
    name: `runs of ${mark}`,
    ofLength(length) {
      let message = ''
      for (let count = 1; message.length < length; count++) message += mark.repeat(count) + between
      return message.slice(0, length)
    },
  }
}

/** Opens as often as it closes. */
function nested(open: string, close: string): HostileMessage {
  return {
    name: `nested ${open} ${close}`,
    ofLength(length) {
      const count = Math.floor(length / (open.length + close.length))
      return open.repeat(count) + close.repeat(count)
    },
  }
}

function indented(marker: string): HostileMessage {
  return {
    name: `ever deeper ${marker}`,
    ofLength(length) {
      let message = ''
      for (let depth = 0; message.length < length; depth++) message += `${'  '.repeat(depth)}${marker} a\n`
      return message.slice(0, length)
    },
  }
}

function around(before: string, unit: string, after: string): HostileMessage {
  return {
    name: `${before}${unit}...${after}`,
    ofLength: (length) => before + fill(unit, length - before.length - after.length) + after,
  }
}

const UNITS: readonly string[] = [
  ...'[ ] ( ) ]( [[]( ![ [a](b [](a) [a][b] [^1] * ** **** *_ _ ~~ ~~~~ ` `a``b```c > >> - + | |a |- # $ $$ $$a $$a$$ $$\\ < </ <! <time: & &# &amp; \\ \\\\ ! . .. , : :: :a :a: a:b: @ @* @** @*a @**a @a @_*'.split(
    ' ',
  ),
  ...'#** #**a> #**a>b** @**Ada|7** @*ops* :+1: :) <3 $$x^2$$ http:// http://a https://a.b/( https://a.b/[ a.com a@ a@b a@b.com www. :// a:// mailto: .com xn-- a- -. a.. .a@ 👍 👍🏽 🇩🇪 🇩 1️⃣ \u200d \ufe0f \u0301 \ud800 \u0000 \u2028 é 漢 " \' { } % ^'.split(
    ' ',
  ),
  ...[
    '* ',
    '*a ',
    '*a **b ',
    '**a',
    '~~a ',
    '- - ',
    '> > > ',
    '> - ',
    '- > ',
    '1. > - ',
    'a ',
    'a  \n',
    'a\n',
    '\n',
    '\n\n',
    ' ',
    '\t',
  ],
  ...[
    '> \n',
    '>\n',
    '> a\n',
    '- a\n',
    '-\n',
    '- a\nb\n',
    '* a\n\n',
    '1. a\n',
    '1.\n',
    '  - a\n',
    '    a\n',
    '- a\n\n      b\n',
    '> - a\n',
    '- > a\n',
  ],
  ...[
    '```\n',
    '```a\n',
    '````\n',
    '```quote\n',
    '~~~quote\n',
    '```spoiler x\n',
    '```math\n',
    '>```\n',
    '- ```\n',
    '# a\n',
    '---\n',
    '***\n',
    'a\n===\n',
  ],
  ...[
    '|a|\n|-|\n',
    'a|b\n-|-\n',
    '|a|b\n|-|-\n|c\n',
    '> |a|b\n> |-|-\n',
    '[a]: b\n',
    '<b>',
    '<!--',
    '#1 ',
    'code@0123abc ',
    'JS-a ',
  ],
  ...[
    '[x](/user_uploads/2/ab/cat.png) ',
    '![x](/user_uploads/2/ab/cat.png)',
    '[`](',
    '[a`](b`',
    '**[',
    '*[a](b)*',
    '**@**a** ',
    '*_**~~`[',
  ],
]

export const HOSTILE_MESSAGES: readonly HostileMessage[] = [
  ...UNITS.map(repeated),
  ...['`', '*', '~', '$', '>', '#', '[', ':', '|', '-'].map((mark) => runs(mark, 'a ')),
  nested('[', ']'),
  nested('[', '](a)'),
  nested('*a ', ' a*'),
  nested('**a ', ' a**'),
  nested('~~a ', ' a~~'),
  nested('(', ')'),
  nested('![', '](/user_uploads/2/ab/cat.png)'),
  ...['-', '*', '1.', '>', '- >'].map(indented),
  around('``` ', ' ', '`'),
  around('```python ', ' ', '`'),
  around('```python ', 'a', '`'),
  around('```', '`', ' a`'),
  around('https://a.example/', '*', 'a'),
  around('**https://a.example/', '*', ' '),
  around('[a](', ' ', ''),
  around('[a](<', 'a', ''),
  around('[a](b "', 'a', ''),
  around('[', 'a', '](b'),
  around('@**', 'a', ''),
  around('<time:', '0', '>'),
  around('|', ' ', '|\n|-|'),
  around('| a |\n|', '-', '|'),
  around('| a |\n', '|-', '|'),
  around(`|${'a|'.repeat(50)}\n|${'-|'.repeat(50)}\n`, '|\n', ''),
  around(`|${'a|'.repeat(2000)}\n`, '-|', ''),
  around('> a\n', 'b\n', ''),
  ...['html', 'ini', 'toml', 'yaml', 'python', 'js', 'c', 'sql', 'diff', 'console', 'tex', 'json'].flatMap(
    (language) =>
      [' ', 'a', '"', '<', '= ', '#', '/*', '\\', '[', '- ', ': '].map((unit) =>
        around(`\`\`\`${language}\n`, unit, ''),
      ),
  ),
]

/** Formulas that grow, as messages of any length up to the limit. */
export const MATH_BOMBS: readonly string[] = [
  '$$\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b}\\c\\c\\c$$',
  '$$\\def\\a{\\a\\a}\\a$$',
  '$$\\newcommand{\\a}{\\a x}\\a$$',
  '$$\\edef\\a{x}\\edef\\a{\\a\\a}\\edef\\a{\\a\\a}\\edef\\a{\\a\\a}\\edef\\a{\\a\\a}\\edef\\a{\\a\\a}\\edef\\a{\\a\\a}\\a$$',
  `$$\\def\\a{${'\\frac{x}{y}'.repeat(15)}}${'\\a'.repeat(45)}$$`,
  `$$\\def\\a{${'x'.repeat(200)}}${'\\a'.repeat(40)}$$`,
  fill('$$\\frac{a}{b}$$ ', 10_000),
  fill('$$\\overbrace{xxxxx}$$ ', 10_000),
  fill('$$\\def\\a{xxxxxxxxxx}\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a$$ ', 10_000),
  fill('```math\n\\int_0^1\n```\n', 10_000),
  fill(`$$\\def\\a{\\frac xy\\frac xy\\frac xy}${'\\a'.repeat(70)}\\bad$$ `, 10_000),
  fill(`$$\\def\\a{\\frac xy\\frac xy\\frac xy}${'\\a'.repeat(70)}\\kern{-999em}$$ `, 10_000),
  `$$${fill('\\frac{a}{b}', 1980)}$$`,
  `$$${'x^{'.repeat(300)}x${'}'.repeat(300)}$$`,
  `$$${'x^{'.repeat(24)}x${'}'.repeat(24)}$$`,
  `$$${'{'.repeat(1900)}$$`,
  `$$${'\\sqrt'.repeat(390)} x$$`,
  `$$${'\\frac'.repeat(390)} x$$`,
  `$$${'\\left('.repeat(100)}x${'\\right)'.repeat(100)}$$`,
  `$$${'\\left(x\\over'.repeat(90)}x${'\\right)'.repeat(90)}$$`,
  `$$${'\\mathchoice{'.repeat(20)}x${'}{x}{x}{x}'.repeat(20)}$$`,
  `$$${'\\text{'.repeat(24)}x${'}'.repeat(24)}$$`,
  `\`\`\`math\n\\begin{matrix}${fill('a&', 1900)}\\end{matrix}\n\`\`\``,
  `\`\`\`math\n\\begin{array}{c}${fill('a\\\\', 1900)}\\end{array}\n\`\`\``,
  `\`\`\`math\n\\begin{array}{${'c'.repeat(1900)}}a\\end{array}\n\`\`\``,
  `\`\`\`math\n${'\\begin{matrix}'.repeat(60)}x${'\\end{matrix}'.repeat(60)}\n\`\`\``,
  '$$\\rule{1000000em}{1000000em}$$',
  `$$${'\u2070'.repeat(1900)}$$`,
  `$$x${"'".repeat(1900)}$$`,
]
