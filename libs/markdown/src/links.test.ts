import { describe, expect, test } from 'vitest'
import { compileTemplate, renderMessage, renderTopicLinks } from './index.ts'
import { bareContext, context, linkifier } from './safety/context.ts'
import { safeLink, uploadPath } from './urls.ts'

const html = (content: string) => renderMessage(content, bareContext).html
const link = (href: string, text = href) => `<a href="${href}">${text}</a>`

describe('addresses in a text', () => {
  test.each([
    ['https://example.com', link('https://example.com')],
    ['see https://example.com/a. Then', `see ${link('https://example.com/a')}. Then`],
    ['see https://example.com/a: that', `see ${link('https://example.com/a')}: that`],
    ['https://me@example.com/a', link('https://me@example.com/a')],
    ['see:example.com', `see:${link('http://example.com', 'example.com')}`],
    ['javascript:example.com', `javascript:${link('http://example.com', 'example.com')}`],
    ['(https://example.com/a_(b))', `(${link('https://example.com/a_(b)')})`],
    ['https://example.com/?a=b&c=d', link('https://example.com/?a=b&amp;c=d')],
    ['https://example.com/*a*_b_', link('https://example.com/*a*_b_')],
    ['**https://example.com**', `<strong>${link('https://example.com')}</strong>`],
    ['~~https://example.com~~', `<del>${link('https://example.com')}</del>`],
    ['http://localhost:9991/x', link('http://localhost:9991/x')],
    ['example.com/x?y', link('http://example.com/x?y', 'example.com/x?y')],
    ['www.example.com', link('http://www.example.com', 'www.example.com')],
    ['t.co', link('http://t.co', 't.co')],
    ['someone@example.com', link('mailto:someone@example.com', 'someone@example.com')],
    ['readme.md views.py setup.sh', 'readme.md views.py setup.sh'],
    ['a.b e.g. love...it 1.5', 'a.b e.g. love...it 1.5'],
    ['someone@example.com/path', 'someone@example.com/path'],
    ['javascript://example.com', 'javascript://example.com'],
    ['<https://example.com>', `&lt;${link('https://example.com')}&gt;`],
    ['`https://example.com`', '<code>https://example.com</code>'],
    ['/user_uploads/2/ab/cat.png', '/user_uploads/2/ab/cat.png'],
    ['//example.com', '//example.com'],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`)
  })
})

describe('links with a text', () => {
  test.each([
    ['[text](https://example.com)', link('https://example.com', 'text')],
    [
      '[**bold** `code`](https://example.com)',
      link('https://example.com', '<strong>bold</strong> <code>code</code>'),
    ],
    ['[text](https://example.com/a(b)c)', link('https://example.com/a(b)c', 'text')],
    ['[text](<https://example.com/a b>)', link('https://example.com/a%20b', 'text')],
    ['[text](https://example.com "title")', link('https://example.com', 'text')],
    ['[text](example.com)', link('http://example.com', 'text')],
    ['[text](/path?a#b)', link('/path?a#b', 'text')],
    ['[text](#narrow/channel/1)', link('#narrow/channel/1', 'text')],
    ['[text](https://chat.example.com/#narrow/channel/1)', link('/#narrow/channel/1', 'text')],
    ['[text](https://chat.example.com/help)', link('https://chat.example.com/help', 'text')],
    ['[text](mailto:a@example.com)', link('mailto:a@example.com', 'text')],
    ['[text](tel:+4912345)', link('tel:+4912345', 'text')],
    ['[](https://example.com)', link('https://example.com')],
    ['[ ](https://example.com)', link('https://example.com')],
    ['[a [b] c](https://example.com)', link('https://example.com', 'a [b] c')],
    ['[`]`](https://example.com)', link('https://example.com', '<code>]</code>')],
    ['[see https://b.example](https://a.example)', link('https://a.example', 'see https://b.example')],
    [
      '[a [b](https://b.example) c](https://a.example)',
      link('https://a.example', 'a [b](https://b.example) c'),
    ],
    ['[text](javascript:alert)', '[text](javascript:alert)'],
    ['[text]()', '[text]()'],
    ['[text](a b)', '[text](a b)'],
    ['[text] (https://example.com)', `[text] (${link('https://example.com')})`],
    ['[text][ref]\n\n[ref]: /x', '[text][ref]</p>\n<p>[ref]: /x'],
    ['!(x)[y]', '!(x)[y]'],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`)
  })
})

describe('targets', () => {
  const target = (url: string) => safeLink(url, context)
  test.each([
    ['HTTPS://Example.com', 'HTTPS://Example.com'],
    ['//example.com/x', 'http://example.com/x'],
    ['\\\\example.com', 'http://example.com'],
    ['/\\example.com', 'http://example.com'],
    ['https://example.com/"<>\\', 'https://example.com/%22%3C%3E%5C'],
    ['https://example.com/é', 'https://example.com/%C3%A9'],
    ['https://example.com/%20%zz', 'https://example.com/%20%zz'],
    ['sub/page', '/sub/page'],
    ['../../x/y', '/x/y'],
    ['example.com:8080/x', 'http://example.com:8080/x'],
  ])('%s leads to %s', (url, expected) => {
    expect(target(url)).toBe(expected)
  })

  test.each([
    '',
    ' ',
    'javascript:x',
    'JAVASCRIPT:x',
    'data:x',
    'file:///x',
    'https:x',
    'http://',
    'java\tscript:x',
    'x',
    'x:y',
  ])('%j leads nowhere', (url) => {
    expect(target(url)).toBeUndefined()
  })

  test('the path of an uploaded file', () => {
    expect(uploadPath(target('/user_uploads/2/ab/a%20b.png?x#y')!)).toBe('2/ab/a b.png')
    for (const url of [
      '/user_uploads/',
      '/user_uploads/2',
      '/user_uploads/2/../3/a',
      '/user_uploads/x/a',
      '/user_uploads/2//a',
    ]) {
      expect(uploadPath(target(url)!)).toBeUndefined()
    }
  })
})

describe('linkifiers', () => {
  const rendered = (content: string) => renderMessage(content, context)
  test.each([
    ['fixes #12', `fixes ${link('https://bugs.example.com/12', '#12')}`],
    [
      '(#12), #13.',
      `(${link('https://bugs.example.com/12', '#12')}), ${link('https://bugs.example.com/13', '#13')}.`,
    ],
    ['#12', link('https://bugs.example.com/12', '#12')],
    ['foo#12 #12a', 'foo#12 #12a'],
    ['`#12`', '<code>#12</code>'],
    ['[#12](https://example.com)', link('https://example.com', '#12')],
    ['https://example.com/#12', link('https://example.com/#12')],
    ['code@0123abc', link('https://code.example.com/code/commit?sha=0123abc', 'code@0123abc')],
    ['JS-javascript:alert', 'JS-javascript:alert'],
  ])('%j', (content, expected) => {
    expect(rendered(content).html).toBe(`<p>${expected}</p>`)
  })

  test('they count as links', () => {
    expect(rendered('#12 and #12')).toMatchObject({ has_link: true, links: ['https://bugs.example.com/12'] })
  })
})

describe('links of a topic', () => {
  test('linkifiers in their order, addresses, and the order of the text', () => {
    const linkifiers = [
      linkifier(/#(?<id>\d{1,9})/g, 'https://bugs.example.com/{id}'),
      linkifier(/#\d/g, 'https://other.example'),
    ]
    expect(renderTopicLinks('https://a.example/x. see #12, #3', linkifiers)).toEqual([
      { text: 'https://a.example/x', url: 'https://a.example/x' },
      { text: '#12', url: 'https://bugs.example.com/12' },
      { text: '#3', url: 'https://bugs.example.com/3' },
    ])
    expect(renderTopicLinks('lunch', linkifiers)).toEqual([])
  })
})

describe('URL templates', () => {
  const values = {
    var: 'value',
    hello: 'Hello World!',
    path: '/foo/bar',
    empty: '',
    half: '50%',
    x: '1024',
    y: '768',
  }
  test.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,empty}', '1024,'],
    ['{var:3}', 'val'],
    ['{+path}/here', '/foo/bar/here'],
    ['{+hello}', 'Hello%20World!'],
    ['{#path:6}here', '#/foo/bhere'],
    ['X{.x,y}', 'X.1024.768'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/var,empty}', '/value/'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{&x,undef}', '&x=1024'],
    ['{var*}', 'value'],
    ['http://é/{var}', 'http://%C3%A9/value'],
  ])('%s expands to %s (RFC 6570, section 3.2)', (template, expected) => {
    expect(compileTemplate(template).expand(values)).toBe(expected)
  })

  test('names what it needs and refuses what it cannot read', () => {
    expect(compileTemplate('{a}{?b,a}').names).toEqual(['a', 'b'])
    for (const bad of ['{', '}', '{}', '{a', '{=a}', '{a b}', '{{a}}']) {
      expect(() => compileTemplate(bad), bad).toThrow(SyntaxError)
    }
  })
})
