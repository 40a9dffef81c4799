import { describe, expect, test } from 'vitest'
import { renderMessage } from '../index.ts'
import { bareContext } from '../safety/context.ts'
import { cpuTime } from '../safety/cpu-time.ts'
import { pick, seeded } from '../safety/random.ts'
import { allLanguages, languageNamed } from './languages.ts'

const code = (language: string, text: string) => {
  const { html } = renderMessage(`\`\`\`${language}\n${text}\n\`\`\``, bareContext)
  // The last piece may include the line end that closes the block.
  return /<code>(.*)<\/code>/s
    .exec(html)![1]!
    .replace(/\n(<\/span>)?$/, '$1')
    .replaceAll('&quot;', '"')
}

describe('colours', () => {
  test.each([
    [
      'python',
      'def f(x): # go',
      '<span class="k">def</span> <span class="nf">f</span><span class="p">(</span><span class="n">x</span><span class="p">):</span> <span class="c1"># go</span>',
    ],
    ['python', 'self', '<span class="bp">self</span>'],
    [
      'js',
      'let s = "a\\"b"',
      '<span class="kd">let</span> <span class="n">s</span> <span class="o">=</span> <span class="s2">"a\\"b"</span>',
    ],
    ['c', '#include <a.h>', '<span class="cp">#include &lt;a.h&gt;</span>'],
    [
      'java',
      '@Override class A',
      '<span class="nd">@Override</span> <span class="kd">class</span> <span class="nc">A</span>',
    ],
    [
      'sql',
      'SELECT 1.5 -- x',
      '<span class="k">SELECT</span> <span class="mf">1.5</span> <span class="c1">-- x</span>',
    ],
    ['bash', 'echo $HOME', '<span class="nb">echo</span> <span class="nv">$HOME</span>'],
    [
      'json',
      '{"a": true}',
      '<span class="p">{</span><span class="nt">"a"</span><span class="p">:</span> <span class="kc">true</span><span class="p">}</span>',
    ],
    [
      'yaml',
      'a: "b" # c',
      '<span class="nt">a</span><span class="p">:</span> <span class="s2">"b"</span> <span class="c1"># c</span>',
    ],
    [
      'ini',
      '[a]\nb = 1',
      '<span class="k">[a]\n</span><span class="na">b </span><span class="o">=</span> <span class="mi">1</span>',
    ],
    ['diff', '-a\n+b\n c', '<span class="gd">-a\n</span><span class="gi">+b\n</span> c'],
    [
      'html',
      '<a href="x">&amp;</a>',
      '<span class="nt">&lt;a</span> <span class="na">href</span>=<span class="s">"x"</span><span class="nt">&gt;</span><span class="ni">&amp;amp;</span><span class="nt">&lt;/a&gt;</span>',
    ],
    ['console', '$ ls\na', '<span class="gp">$ </span><span class="n">ls</span>\n<span class="go">a</span>'],
    ['tex', '\\pi % x', '<span class="k">\\pi</span> <span class="c">% x</span>'],
    ['rust', '/* a\nb */ 0xff', '<span class="cm">/* a\nb */</span> <span class="mh">0xff</span>'],
    ['text', 'let <x>', 'let &lt;x&gt;'],
    ['unheard-of', 'let x', 'let x'],
  ])('%s', (language, text, expected) => {
    expect(code(language, text)).toBe(expected)
  })

  test.each([
    ['py', 'Python'],
    ['PY', 'Python'],
    ['.python', 'Python'],
    ['{.python}', 'Python'],
    ['js', 'JavaScript'],
    ['c++', 'C++'],
    ['latex', 'TeX'],
    ['text', 'Text only'],
    ['unheard-of', 'unheard-of'],
  ])('```%s is %s', (language, label) => {
    const { html } = renderMessage(`\`\`\`${language}\nx\n\`\`\``, bareContext)
    expect(html).toContain(`<div class="codehilite" data-code-language="${label}"><pre><span></span><code>`)
  })

  test('beyond the share of a message code has no colours', () => {
    const block = `\`\`\`js\n${'let x\n'.repeat(1000)}\`\`\`\n`
    const { html } = renderMessage(block.repeat(3), bareContext)
    expect(html.match(/<span class="kd">/g)).toHaveLength(1000)
  })
})

describe('every language', () => {
  const languages = allLanguages().filter(({ lexer }) => lexer !== undefined)

  test('loses no character of any input', () => {
    const random = seeded(7)
    const parts = [
      ...'ab1_"\'`\\/*#-+=<>{}()[]:;.,!?@$%&|~^ \n\té漢',
      '"""',
      '/*',
      '*/',
      '<!--',
      '-->',
      '{-',
      '```'.slice(1),
    ]
    for (const { label, lexer } of languages) {
      for (let count = 0; count < 100; count++) {
        const text = Array.from({ length: 30 }, () => pick(random, parts)).join('')
        const pieces = lexer!(text)
        expect(pieces.map(([, piece]) => piece).join(''), label).toBe(text)
      }
    }
  })

  test('costs no more than in proportion to its length', () => {
    const units = [
      'a',
      ' ',
      '\t',
      '\n',
      '"',
      "'",
      '<',
      '<a ',
      '/*',
      '#',
      '(',
      '\\',
      '= ',
      '[',
      '$',
      '@a',
      '- ',
      'a: ',
      '1',
      '{',
      '"""',
    ]
    for (const { label, lexer } of languages) {
      for (const unit of units) {
        const text = unit.repeat(10_000 / unit.length)
        const half = cpuTime(2, () => lexer!(text.slice(0, text.length / 2)))
        const whole = cpuTime(2, () => lexer!(text))
        expect(whole, `${label} ${JSON.stringify(unit)}`).toBeLessThan(3 * half + 30)
      }
    }
  })

  test('has names of its own', () => {
    const names = languages.flatMap((language) => language.names)
    expect(new Set(names).size).toBe(names.length)
    for (const language of languages) expect(languageNamed(language.names[0]!)).toBe(language)
  })
})
