import { describe, expect, test } from 'vitest'
import { renderMessage } from './index.ts'
import { bareContext } from './safety/context.ts'

const html = (content: string) => renderMessage(content, bareContext).html

describe('emphasis', () => {
  test.each([
    ['**bold**', '<p><strong>bold</strong></p>'],
    ['*italic*', '<p><em>italic</em></p>'],
    ['***both***', '<p><strong><em>both</em></strong></p>'],
    ['**a\nb** *c\nd* ~~e\nf~~', '<p>**a<br>\nb** *c<br>\nd* ~~e<br>\nf~~</p>'],
    ['**a\n**b**', '<p>**a<br>\n<strong>b</strong></p>'],
    ['~~gone~~', '<p><del>gone</del></p>'],
    ['I ~~ like this ~~ like that', '<p>I <del> like this </del> like that</p>'],
    ['~~ a ~~ b ~~', '<p><del> a </del> b ~~</p>'],
    ['~~**a**~~ *~~b~~*', '<p><del><strong>a</strong></del> <em><del>b</del></em></p>'],
    ['x~~~y~~~ ~~~~z~~~~', '<p>x~~~y~~~ ~~~~z~~~~</p>'],
    ['**bold with *italic* in it**', '<p><strong>bold with <em>italic</em> in it</strong></p>'],
    ['un*believ*able', '<p>un<em>believ</em>able</p>'],
    ['char *a = (char *)b', '<p>char *a = (char *)b</p>'],
    ['2 * 3 * 4', '<p>2 * 3 * 4</p>'],
    ['_not_ __this__ snake_case_name', '<p>_not_ __this__ snake_case_name</p>'],
    ['__init__.x', '<p>__init__.x</p>'],
    ['~one~', '<p>~one~</p>'],
    ['**open', '<p>**open</p>'],
    ['C:\\*dir\\*', '<p>C:\\<em>dir\\</em></p>'],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(expected)
  })
})

describe('code spans', () => {
  test.each([
    ['`a`', '<p><code>a</code></p>'],
    ['` a `', '<p><code> a </code></p>'],
    ['``a`b``', '<p><code>a`b</code></p>'],
    ['`<b> **x** :+1: @**all** $$y$$`', '<p><code>&lt;b&gt; **x** :+1: @**all** $$y$$</code></p>'],
    ['`open', '<p>`open</p>'],
    ['`` a`', '<p>`` a`</p>'],
    ['`a\nb`', '<p><code>a b</code></p>'],
    ['**`a**`', '<p>**<code>a**</code></p>'],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(expected)
  })
})

describe('global times', () => {
  const time = (datetime: string, text: string) => `<p><time datetime="${datetime}">${text}</time></p>`
  test.each([
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00:00+01:00', '2026-01-31T09:00:00Z'],
    ['2026-01-31T23:30:00-0130', '2026-02-01T01:00:00Z'],
    ['2026-01-31T10:00', '2026-01-31T10:00:00Z'],
    ['2026-01-31 10:00:59.123456', '2026-01-31T10:00:59Z'],
    ['2026-01-31', '2026-01-31T00:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00Z'],
  ])('<time:%s> is %s', (text, datetime) => {
    expect(html(`<time:${text}>`)).toBe(time(datetime, text))
  })

  test.each([
    'tomorrow',
    '31 Dec 2026',
    '1769853600',
    '2026-02-30T00:00:00Z',
    '2025-02-29',
    '2026-13-01',
    '2026-01-31T24:00:00Z',
    '2026-01-31T10:60:00Z',
    '2026-01-31T10:00:00+99:00',
    '0000-01-01',
    '0001-01-01T00:00:00+01:00',
    '2026-01-31T10:00:00Z ',
    '**bold**',
  ])('<time:%s> is text', (text) => {
    const shown = text === '**bold**' ? '<strong>bold</strong>' : text
    expect(html(`<time:${text}>`)).toBe(`<p>&lt;time:${shown}&gt;</p>`)
  })
})

describe('math', () => {
  test('a formula in a line carries its source and the classes of KaTeX', () => {
    const rendered = renderMessage('so $$x^2$$ it is', bareContext)
    expect(rendered.html).toMatch(/^<p>so <span class="katex"><span class="katex-mathml"><math xmlns=/)
    expect(rendered.html).toContain('<annotation encoding="application/x-tex">x^2</annotation>')
    expect(rendered.html).toContain(
      '<span class="katex-html" aria-hidden="true"><span class="base"><span class="strut"',
    )
    expect(rendered.plainText()).toBe('so x^2 it is')
  })

  test('a block is displayed', () => {
    expect(html('```math\n\\int_0^1 x\n```')).toMatch(/^<p><span class="katex-display"><span class="katex">/)
  })

  test.each([
    ['not valid', '$$\\nonsense{**a**}$$', '<p><span class="tex-error">$$\\nonsense{**a**}$$</span></p>'],
    ['not valid in a block', '```math\n\\nonsense\n```', '<p><span class="tex-error">\\nonsense</span></p>'],
    ['links are not made', '$$\\href{https://a.example}{x}$$', undefined],
    [
      'drawn over other things',
      '$$\\kern{-500em}x$$',
      '<p><span class="tex-error">$$\\kern{-500em}x$$</span></p>',
    ],
  ])('%s', (_name, content, expected) => {
    const rendered = html(content)
    expect(rendered).not.toContain('<a ')
    if (expected !== undefined) expect(rendered).toBe(expected)
  })

  test.each(['$5 to $20', '$$ or $$$', '$$_$$ smiley', '$$a\nb$$', 'a$$b$$', '$$a$$b', '$$$$', '$x$'])(
    '%j is text',
    (content) => {
      expect(html(content)).toBe(`<p>${content.replace('\n', '<br>\n')}</p>`)
    },
  )

  test.each([
    '\\cancel{x}',
    '\\begin{align}a&=b\\\\c&=d\\end{align}',
    '\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}',
    '\\sqrt[3]{x}',
    '\\overbrace{ab}^{c}',
    '\\xrightarrow{f}',
    '\\color{#ff0000}x',
    '\\fcolorbox{red}{yellow}{x}',
    '\\boxed{x}',
    '\\widehat{abc}',
    '\\begin{array}{c:c}a&b\\\\\\hdashline c&d\\end{array}',
    '\\mathclap{x}',
    '\\pmb{x}',
    '\\tag{1} x',
    '\\begin{CD}A@>a>>B\\end{CD}',
    '\\vcenter{x}',
    '\\text{é 漢 😀}',
    '\\def\\a{x}\\a\\a',
  ])('%s is within what is allowed of KaTeX', (formula) => {
    expect(html(`\`\`\`math\n${formula}\n\`\`\``)).toContain('katex-display')
  })

  test('a message cannot write to the log', () => {
    const { warn } = console
    const warnings: unknown[] = []
    console.warn = (...parts: unknown[]) => warnings.push(parts)
    try {
      html('$$😀$$')
      expect(warnings).toEqual([])
      console.warn('still there')
      expect(warnings).toHaveLength(1)
    } finally {
      console.warn = warn
    }
  })
})
