import { describe, expect, test } from 'vitest'
import { emojiApiDocument, emojiByName, namesByCode, renderMessage } from './index.ts'
import { bareContext, context } from './safety/context.ts'

const html = (content: string) => renderMessage(content, context).html
const emoji = (code: string, name: string) =>
  `<span aria-label="${name.replaceAll('_', ' ')}" class="emoji emoji-${code}" role="img" title="${name.replaceAll('_', ' ')}">:${name}:</span>`
const parrot = (name: string) =>
  `<img alt=":${name}:" class="emoji" src="/user_avatars/2/emoji/images/1.gif" title="${name}">`

describe('emoji', () => {
  test.each([
    [':+1:', emoji('1f44d', '+1')],
    [':parrot:', parrot('parrot')],
    [':tada:', parrot('tada')],
    [':holiday_tree:', emoji('1f384', 'holiday_tree')],
    ['a:cat:b:dog::rabbit:', `a${emoji('1f408', 'cat')}b${emoji('1f415', 'dog')}${emoji('1f407', 'rabbit')}`],
    [
      'a:zulip:',
      'a<img alt=":zulip:" class="emoji" src="/static/generated/emoji/images/emoji/unicode/zulip.png" title="zulip">',
    ],
    ['1️⃣2⃣', emoji('0031-20e3', 'one') + emoji('0032-20e3', 'two')],
    ['🇩🇪🇫🇷🇩', `${emoji('1f1e9-1f1ea', 'de')}${emoji('1f1eb-1f1f7', 'fr')}🇩`],
    [
      '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
      emoji('1f3f4-e0067-e0062-e0065-e006e-e0067-e007f', 'flag-england'),
    ],
    ['👍🏽👍', `👍🏽${emoji('1f44d', '+1')}`],
    [':nothing: x::y::z 10:30:45', ':nothing: x::y::z 10:30:45'],
    ['👍', emoji('1f44d', '+1')],
    ['a🤖.', `a${emoji('1f916', 'robot')}.`],
    ['❤️ ❤', `${emoji('2764', 'heart')} ${emoji('2764', 'heart')}`],
    ['🤷‍♀️', emoji('1f937-200d-2640', 'woman_shrugging')],
    ['#️⃣', emoji('0023-20e3', 'hash')],
    ['🇩🇪', emoji('1f1e9-1f1ea', 'de')],
    ['skin 👍🏽', 'skin 👍🏽'],
    ['unknown 🐦‍🐦', 'unknown 🐦‍🐦'],
    ['© ™ ↔', '© ™ ↔'],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`)
  })

  test('an address is no place for emoji', () => {
    expect(html('example.com/a::cat::b')).toBe(
      '<p><a href="http://example.com/a::cat::b">example.com/a::cat::b</a></p>',
    )
  })
})

describe('emoticons', () => {
  test.each([
    [':)', emoji('1f642', 'smile')],
    ['hi :-( <3', `hi ${emoji('1f641', 'frown')} ${emoji('2764', 'heart')}`],
    ['well :).', `well ${emoji('1f642', 'smile')}.`],
    ['a:) ;)b', 'a:) ;)b'],
    ['`:)`', '<code>:)</code>'],
    [': )', ': )'],
  ])('%j', (content, expected) => {
    expect(html(content)).toBe(`<p>${expected}</p>`)
  })

  test('only for senders who want them', () => {
    expect(renderMessage(':)', bareContext).html).toBe('<p>:)</p>')
  })
})

describe('messages of emoji only', () => {
  test.each([
    ['👍', true],
    [':parrot: 👍\n:+1:', true],
    ['👍 ok', false],
    ['👍\n\n👍', false],
    ['> 👍', false],
    ['hello', false],
    ['', false],
  ])('%j: %s', (content, expected) => {
    expect(renderMessage(content, context).is_emoji_only).toBe(expected)
  })
})

describe('the table', () => {
  test('has the whole Unicode set without skin tones, one code for each name', () => {
    expect(namesByCode.size).toBeGreaterThan(1850)
    const names = new Map<string, string>()
    for (const [code, codeNames] of namesByCode) {
      expect(code).toMatch(/^[0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*$/)
      expect(code).not.toMatch(/fe0f|1f3f[b-f]/)
      expect(codeNames.length).toBeGreaterThan(0)
      for (const name of codeNames) {
        expect(name).toMatch(/^[\p{L}\p{N}_+-]+$/u)
        expect(names.get(name), name).toBeUndefined()
        names.set(name, code)
        expect(emojiByName(name)).toBe(code)
      }
    }
  })

  test.each([
    ['+1', '1f44d'],
    ['thumbs_up', '1f44d'],
    ['smile', '1f642'],
    ['heart', '2764'],
    ['octopus', '1f419'],
    ['tada', '1f389'],
    ['smiling_face', '263a'],
    ['eye_in_speech_bubble', '1f441-200d-1f5e8'],
  ])('%s is %s', (name, code) => {
    expect(emojiByName(name)).toBe(code)
  })

  test('as clients fetch it', () => {
    expect(emojiApiDocument().code_to_names['1f44d']?.[0]).toBe('+1')
  })
})
