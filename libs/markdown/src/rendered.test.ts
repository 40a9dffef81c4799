import { describe, expect, test } from 'vitest'
import { collectLookups, compileAlertWords, renderMessage } from './index.ts'
import { bareContext, context } from './safety/context.ts'

describe('/me', () => {
  test.each([
    ['/me waves', true],
    ['/me *waves*\nand leaves', true],
    ['/me waves\n\ntwice', true],
    ['/me waves\n* a', false],
    ['/me', false],
    ['/meow', false],
    [' /me waves', false],
    ['> /me waves', false],
  ])('%j: %s', (content, expected) => {
    const rendered = renderMessage(content, bareContext)
    expect(rendered.is_me_message).toBe(expected)
  })

  test('the words stay in the HTML', () => {
    expect(renderMessage('/me waves', bareContext).html).toBe('<p>/me waves</p>')
  })
})

describe('widgets', () => {
  test.each(['/poll Lunch?\nyes\nno', '/todo'])('%j is not rendered as anything else', (content) => {
    expect(renderMessage(content, bareContext).html).toBe(`<p>${content.replaceAll('\n', '<br>\n')}</p>`)
  })
})

describe('plain text', () => {
  test('has no markup, and a line for each block', () => {
    const content =
      '# Title\nsee **this** [link](https://example.com)\n* a\n* `b`\n\n> @**Ada Lovelace**\n```js\nlet x\n```\n$$y^2$$'
    expect(renderMessage(content, context).plainText()).toBe(
      'Title\nsee this link\na\nb\nAda Lovelace\nlet x\ny^2',
    )
  })
})

describe('alert words', () => {
  const found = (content: string, words: string[]) => renderMessage(content, context).alertWordsIn(words)
  test.each([
    ['lunch now', ['lunch', 'dinner'], ['lunch']],
    ['LUNCH!', ['Lunch'], ['Lunch']],
    ['**lun**ch', ['lunch'], ['lunch']],
    ['lunchtime', ['lunch'], []],
    ['a lunch-break', ['lunch'], ['lunch']],
    ['the big lunch break', ['big lunch'], ['big lunch']],
    ['c++ and .net', ['c++', '.net'], ['c++', '.net']],
    ['c+++', ['c++'], ['c++']],
    ['it is :-)', [':-)'], []],
    ['Straße', ['straße'], ['straße']],
    ['a [x](https://lunch.example)', ['lunch'], []],
    ['`lunch`', ['lunch'], ['lunch']],
    ['anything', ['', ' '], []],
  ])('%j', (content, words, expected) => {
    expect(found(content, words)).toEqual(expected)
  })

  test('those of all users are searched at once', () => {
    const words = compileAlertWords(Array.from({ length: 50_000 }, (_, index) => `word${index}`))
    expect(renderMessage('word7 and word49999, word50000', bareContext).alertWordsIn(words)).toEqual([
      'word7',
      'word49999',
    ])
  })
})

describe('what a caller fetches first', () => {
  test('everything a text may refer to', () => {
    const content =
      '@**Ada** @_**Bob|7** @**|8** @**all** @*ops* @_*role:members* #**a** #**b>c** #**d>e@5** :x: :y:z: [f](/user_uploads/2/ab/a%20b.png) ![g](https://chat.example.com/user_uploads/2/c)'
    expect(collectLookups(content)).toEqual({
      userNames: ['Ada', 'Bob|7', 'Bob', '|8'],
      userIds: [7, 8],
      groupNames: ['ops', 'role:members'],
      channelNames: ['a', 'b', 'd'],
      topics: [{ channel: 'b', topic: 'c' }],
      emojiNames: ['x', 'y', 'z'],
      uploads: ['2/ab/a b.png', '2/c'],
    })
  })

  test('for a text without syntax nothing, and always the same object', () => {
    const lookups = collectLookups('See you at 10:30, ok? #1 *really*')
    expect(Object.values(lookups).flat()).toEqual([])
    expect(collectLookups('hello')).toBe(lookups)
  })

  test('names whatever the renderer then asks for', () => {
    const asked = {
      users: new Set<string>(),
      groups: new Set<string>(),
      channels: new Set<string>(),
      emoji: new Set<string>(),
    }
    const noting = (names: Set<string>) => (name: string) => {
      names.add(name)
      return undefined
    }
    const noteUser = noting(asked.users)
    const asking = {
      ...bareContext,
      users: { byName: (name: string) => noteUser(name) ?? [], byId: () => undefined },
      groups: { byName: noting(asked.groups) },
      channels: { byName: noting(asked.channels) },
      emoji: { byName: noting(asked.emoji) },
    }
    const content = '> @**a** *@**b|3*** **@*c* #**d>e**** x:f:g:h: [@**i**](https://x.example) | @_**j**|'
    renderMessage(content, asking)
    const { userNames, groupNames, channelNames, emojiNames } = collectLookups(content)
    expect(userNames).toEqual(expect.arrayContaining([...asked.users]))
    expect(groupNames).toEqual(expect.arrayContaining([...asked.groups]))
    expect(channelNames).toEqual(expect.arrayContaining([...asked.channels]))
    expect(emojiNames).toEqual(expect.arrayContaining([...asked.emoji]))
    expect(asked.users.size).toBeGreaterThan(2)
  })
})
