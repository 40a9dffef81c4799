import { describe, expect, it } from 'vitest'
import { channelReference, peopleReference } from './addressing.ts'
import { channelMessageLinks, directMessageLinks } from './message-links.ts'
import { demandModestRendering, isReadBySender, messageContent, messageTopic } from './message-rules.ts'

describe('content', () => {
  it.each([
    ['hi', 'hi'],
    ['\n \n  code\n', '  code'],
    ['a\ud800b', 'a\ufffdb'],
    ['😀'.repeat(10_000), '😀'.repeat(10_000)],
  ])('%j is kept as %j', (sent, kept) => expect(messageContent(sent)).toBe(kept))

  it.each([
    ['', 'Message must not be empty'],
    [' \n\t ', 'Message must not be empty'],
    ['a\0', 'Message must not contain null bytes'],
    ['x'.repeat(10_001), 'Message too long (limit: 10000 characters)'],
  ])('%j is refused', (sent, msg) => expect(() => messageContent(sent)).toThrow(msg))
})

describe('rendered content', () => {
  it('may be a hundred times as long as the longest message', () => {
    demandModestRendering('x'.repeat(1_000_000))
    expect(() => demandModestRendering('x'.repeat(1_000_001))).toThrow('Unable to render message')
  })
})

describe('a topic', () => {
  it.each([
    ['  lunch ', 'lunch'],
    ['', ''],
    ['(no topic)', ''],
    ['general chat', ''],
    ['t'.repeat(60), 't'.repeat(60)],
    ['😀'.repeat(61), `${'😀'.repeat(57)}...`],
  ])('%j is kept as %j', (sent, kept) => expect(messageTopic(sent)).toBe(kept))

  it('must be there, and be text', () => {
    expect(() => messageTopic(undefined)).toThrow('Missing topic')
    expect(() => messageTopic('ab\nc')).toThrow('Invalid character in topic, at position 3!')
  })
})

describe('an address', () => {
  it('names one channel, by ID or name, alone or in a list', () => {
    expect(channelReference(12)).toEqual({ id: 12 })
    expect(channelReference(' general ')).toEqual({ name: 'general' })
    expect(channelReference(['general'])).toEqual({ name: 'general' })
    expect(channelReference([12])).toEqual({ id: 12 })
    expect(() => channelReference(['a', 'b'])).toThrow('Expected exactly one channel')
  })

  it('names people, by ID, e-mail, or e-mails with commas', () => {
    expect(peopleReference([3, 3, 4])).toEqual({ ids: [3, 4], emails: [] })
    expect(peopleReference(3)).toEqual({ ids: [3], emails: [] })
    expect(peopleReference('A@b.c , d@e.f,')).toEqual({ ids: [], emails: ['a@b.c', 'd@e.f'] })
    for (const nobody of [[], '', ' , ']) {
      expect(() => peopleReference(nobody)).toThrow('Message must have recipients!')
    }
    const many = Array.from({ length: 10_001 }, (_, n) => `p${n}@x.example`)
    expect(() => peopleReference(many.join(','))).toThrow('to is too large (limit: 10000)')
  })
})

describe('links to a message', () => {
  it('hold the names of a channel and a topic, whatever is in them', () => {
    expect(channelMessageLinks('https://x.example', { id: 9, name: 'a b' }, '50% [off]*', 5)).toEqual({
      message_url: 'https://x.example/#narrow/channel/9-a-b/topic/50.25.20.5Boff.5D.2A/near/5',
      message_link:
        '[#a b > 50% &#91;off&#93;&#42; @ 💬](https://x.example/#narrow/channel/9-a-b/topic/50.25.20.5Boff.5D.2A/near/5)',
    })
    expect(channelMessageLinks('', { id: 9, name: 'a' }, '', 5).message_link).toMatch(
      /^\[#a > \*general chat\* @ 💬\]/,
    )
  })

  it('are plain addresses for direct conversations', () => {
    const people = [{ id: 1 }, { id: 2 }, { id: 3 }]
    const url = '/#narrow/dm/1,2-dm/near/7'
    expect(directMessageLinks('', people.slice(0, 2), 7)).toEqual({ message_url: url, message_link: url })
    expect(directMessageLinks('', people, 7).message_url).toBe('/#narrow/dm/1,2,3-group/near/7')
  })
})

describe('a message is read by its sender', () => {
  it.each([
    [undefined, null, 'Firefox', true],
    [undefined, null, 'ZulipPython', false],
    [undefined, 1, 'Firefox', false],
    [true, 1, 'ZulipPython', true],
    [false, null, 'Firefox', false],
  ])('wish %j, bot %j, client %s: %j', (wish, bot_type, client, expected) =>
    expect(isReadBySender(wish, { bot_type }, client)).toBe(expected),
  )
})
