import { describe, expect, test } from 'vitest'
import { renderMessage } from './index.ts'
import { bareContext } from './safety/context.ts'

const html = (content: string) => renderMessage(content, bareContext).html

describe('paragraphs', () => {
  test.each([
    ['nothing', '', ''],
    ['only spaces', '  \n \n', ''],
    ['a line', 'good morning', '<p>good morning</p>'],
    ['line ends are kept', 'one\ntwo', '<p>one<br>\ntwo</p>'],
    ['an empty line separates', 'one\n\n\ntwo', '<p>one</p>\n<p>two</p>'],
    ['line ends of every kind', 'one\r\ntwo\rthree', '<p>one<br>\ntwo<br>\nthree</p>'],
    ['a small indent is nothing', '   one', '<p>one</p>'],
    ['HTML is text', '<b>x</b> & y', '<p>&lt;b&gt;x&lt;/b&gt; &amp; y</p>'],
    ['quotes stay readable', `"it's"`, `<p>"it's"</p>`],
    ['references are characters', '&amp; &copy; &#65;', '<p>&amp; © A</p>'],
    ['control characters are replaced', 'a\u0000b\u0007c', '<p>a\ufffdb\ufffdc</p>'],
    ['half a character is replaced', 'a\ud83db', '<p>a\ufffdb</p>'],
  ])('%s', (_name, content, expected) => {
    expect(html(content)).toBe(expected)
  })
})

describe('headings and rules', () => {
  test.each([
    ['# one', '<h1>one</h1>'],
    ['###### six', '<h6>six</h6>'],
    ['####### seven', '<p>####### seven</p>'],
    ['#nospace', '<p>#nospace</p>'],
    ['text\n## two\ntext', '<p>text</p>\n<h2>two</h2>\n<p>text</p>'],
    ['above\n===', '<p>above<br>\n===</p>'],
    ['above\n---\nbelow', '<p>above</p>\n<hr>\n<p>below</p>'],
    ['***', '<hr>'],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(expected)
  })
})

describe('lists', () => {
  test.each([
    ['right after a line', 'todo:\n* a\n* b', '<p>todo:</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
    ['any bullet continues a list', '* a\n- b\n+ c', '<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>'],
    ['numbers begin anywhere', '3. a\n7. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['numbers after a line', 'plan:\n2. a', '<p>plan:</p>\n<ol start="2">\n<li>a</li>\n</ol>'],
    ['a year is no list', 'born in\n1985. Then', '<p>born in<br>\n1985. Then</p>'],
    ['a parenthesis is no list', '1) a', '<p>1) a</p>'],
    [
      'two spaces nest, under a number too',
      '1. a\n  * b\n    1. c\n2. d',
      '<ol>\n<li>a<ul>\n<li>b<ol>\n<li>c</li>\n</ol>\n</li>\n</ul>\n</li>\n<li>d</li>\n</ol>',
    ],
    [
      'empty lines make paragraphs of items',
      '* a\n\n* b',
      '<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>',
    ],
    ['a line after an item belongs to it', '* a\nb', '<ul>\n<li>a<br>\nb</li>\n</ul>'],
    ['text after an empty line is outside', '* a\n\nb', '<ul>\n<li>a</li>\n</ul>\n<p>b</p>'],
    ['a paragraph within an item', '* a\n\n  b', '<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ul>'],
    ['a bullet alone after a line is text', 'a\n*\nb', '<p>a<br>\n*<br>\nb</p>'],
    ['an empty item', '- \n- a', '<ul>\n<li></li>\n<li>a</li>\n</ul>'],
    ['a list in a quote', '> * a\n> * b', '<blockquote>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n</blockquote>'],
    [
      'code in an item',
      '* a\n  ```\n  x\n  ```\n* b',
      '<ul>\n<li>a<div class="codehilite"><pre><span></span><code>x\n</code></pre></div>\n</li>\n<li>b</li>\n</ul>',
    ],
  ])('%s', (_name, content, expected) => {
    expect(html(content)).toBe(expected)
  })
})

describe('quotes', () => {
  test.each([
    ['a line', '> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['lines after it', '>a\nb', '<blockquote>\n<p>a<br>\nb</p>\n</blockquote>'],
    [
      'an empty line between two',
      '> a\n\n> b',
      '<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>',
    ],
    ['one in another', '> > a', '<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n</blockquote>'],
    ['right after a line', 'text\n> a', '<p>text</p>\n<blockquote>\n<p>a</p>\n</blockquote>'],
    ['a mark alone is text', '>', '<p>&gt;</p>'],
    ['marks alone are text', 'a\n>\n> \n\nb', '<p>a<br>\n&gt;<br>\n&gt;</p>\n<p>b</p>'],
    ['marks before a text are empty lines', '>\n>\na', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['a quote that begins empty', 'a\n>\nb', '<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>'],
    ['an empty line of a quote', '> a\n>\nb\nc', '<blockquote>\n<p>a</p>\n<p>b<br>\nc</p>\n</blockquote>'],
    ['what follows a heading in it', '> # a\nb', '<blockquote>\n<h1>a</h1>\n<p>b</p>\n</blockquote>'],
    ['a list ends a quote', '> a\n* b', '<blockquote>\n<p>a</p>\n</blockquote>\n<ul>\n<li>b</li>\n</ul>'],
    ['a heading ends a quote', '> a\n# b', '<blockquote>\n<p>a</p>\n</blockquote>\n<h1>b</h1>'],
    [
      'a list in a quote goes on without marks',
      '> * a\nb',
      '<blockquote>\n<ul>\n<li>a<br>\nb</li>\n</ul>\n</blockquote>',
    ],
    [
      'the inner of two quotes ends first',
      '> > a\n>\n> b\nc',
      '<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b<br>\nc</p>\n</blockquote>',
    ],
    [
      'a quote in an item of a list',
      '* > a\n  > b\n* c',
      '<ul>\n<li>\n<blockquote>\n<p>a<br>\nb</p>\n</blockquote>\n</li>\n<li>c</li>\n</ul>',
    ],
    ['a quote ends a list', '* a\n> b', '<ul>\n<li>a</li>\n</ul>\n<blockquote>\n<p>b</p>\n</blockquote>'],
    [
      'code with tabs and spaces in it',
      '> ```\n>   a\n> \tb\n> ```\nc',
      '<blockquote>\n<div class="codehilite"><pre><span></span><code>  a\n\tb\n</code></pre></div>\n<p>c</p>\n</blockquote>',
    ],
    [
      'a mark per level, without text',
      '>>>>>',
      '<blockquote>\n<blockquote>\n<blockquote>\n<blockquote>\n<p>&gt;</p>\n</blockquote>\n</blockquote>\n</blockquote>\n</blockquote>',
    ],
    [
      'by a fence',
      '```quote\na\n\n* b\n```\nc',
      '<blockquote>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</blockquote>\n<p>c</p>',
    ],
    ['by a fence that is not closed', '~~~quote\na', '<blockquote>\n<p>a</p>\n</blockquote>'],
  ])('%s', (_name, content, expected) => {
    expect(html(content)).toBe(expected)
  })

  test('fences nest: code in a quote in a quote', () => {
    const content = '```quote\na\n```quote\nb\n```js\n// ```\n```\n```\nc\n```\nd'
    expect(html(content)).toBe(
      '<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n' +
        '<div class="codehilite" data-code-language="JavaScript"><pre><span></span><code><span class="c1">// ```</span>\n' +
        '</code></pre></div>\n</blockquote>\n<p>c</p>\n</blockquote>\n<p>d</p>',
    )
  })
})

describe('spoilers', () => {
  test('a title with markup, and any blocks inside', () => {
    expect(html('```spoiler The **end**\n* a\n```\nafter')).toBe(
      '<div class="spoiler-block"><div class="spoiler-header">\n<p>The <strong>end</strong></p>\n</div>' +
        '<div class="spoiler-content" aria-hidden="true">\n<ul>\n<li>a</li>\n</ul>\n</div></div>\n<p>after</p>',
    )
  })

  test('without a title', () => {
    expect(html('```spoiler\na\n```')).toBe(
      '<div class="spoiler-block"><div class="spoiler-header">\n</div>' +
        '<div class="spoiler-content" aria-hidden="true">\n<p>a</p>\n</div></div>',
    )
  })
})

describe('code blocks', () => {
  const block = (code: string) => `<div class="codehilite"><pre><span></span><code>${code}</code></pre></div>`
  test.each([
    ['```\n<b>\n```', block('&lt;b&gt;\n')],
    ['~~~\na\n\nb\n~~~', block('a\n\nb\n')],
    ['```\n```', block('')],
    ['```\nnever closed', block('never closed\n')],
    ['    indented', block('indented\n')],
    ['````\n```\n````', block('```\n')],
    ['text\n```\na\n```\ntext', `<p>text</p>\n${block('a\n')}\n<p>text</p>`],
    ['```\n\n  a  \t\n\nb \n\n```', block('  a\n\nb\n')],
    ['```\n"it\'s"\n```', block('&quot;it&#39;s&quot;\n')],
    ['``` inline ```', '<p><code> inline </code></p>'],
    ['~~~~~~ not a fence ~~~~~~', '<p>~~~~~~ not a fence ~~~~~~</p>'],
    ['```nothing-known\na\n```', block('a\n').replace('">', '" data-code-language="nothing-known">')],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(expected)
  })

  test("the realm's default language is for fences that name none", () => {
    const context = { ...bareContext, defaultCodeLanguage: 'python' }
    expect(renderMessage('```\nNone\n```', context).html).toContain('data-code-language="Python"')
    expect(renderMessage('```text\nNone\n```', context).html).toContain('data-code-language="Text only"')
  })
})

describe('tables', () => {
  test('a header, alignment, markup and a pipe in code', () => {
    expect(html('| a | b |\n|:-:|--:|\n| **x** | `y\\|z` |')).toBe(
      '<table>\n<thead>\n<tr>\n<th style="text-align: center;">a</th>\n<th style="text-align: right;">b</th>\n</tr>\n' +
        '</thead>\n<tbody>\n<tr>\n<td style="text-align: center;"><strong>x</strong></td>\n' +
        '<td style="text-align: right;"><code>y|z</code></td>\n</tr>\n</tbody>\n</table>',
    )
  })

  test('without a line of dashes it is text', () => {
    expect(html('| a | b |')).toBe('<p>| a | b |</p>')
  })
})
