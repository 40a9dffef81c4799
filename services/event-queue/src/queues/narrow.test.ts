import type { MessageRecord } from '@parley/contracts/objects/message'
import { describe, expect, it } from 'vitest'
import { NarrowError, narrowTest } from './narrow.ts'

const shared = {
  id: 1,
  recipient_id: 1,
  sender_id: 5,
  sender_email: 'Sue@example.com',
  sender_full_name: 'Sue',
  sender_realm_str: '',
  client: 'test',
  is_me_message: false,
  timestamp: 0,
  reactions: [],
  submessages: [],
  topic_links: [],
  content: '',
  rendered_content: '',
  avatar_url: '',
  avatar_is_gravatar: false,
}
const inChannel = (subject: string): MessageRecord => ({
  ...shared,
  type: 'stream',
  stream_id: 12,
  subject,
  display_recipient: 'Design',
})
const person = (id: number) => ({
  id,
  email: `u${id}@example.com`,
  full_name: `U${id}`,
  is_mirror_dummy: false,
})
const direct = (...ids: number[]): MessageRecord => ({
  ...shared,
  type: 'private',
  subject: '',
  display_recipient: ids.map(person),
})

const passes = (terms: [string, string][], message: MessageRecord, flags: string[] = []): boolean =>
  narrowTest(terms)!({ message, flags }, 1)

describe('a narrow', () => {
  it.each<[[string, string], MessageRecord, boolean]>([
    [['channel', 'design'], inChannel('x'), true],
    [['stream', '12'], inChannel('x'), true],
    [['stream', '13'], inChannel('x'), false],
    [['channel', 'design'], direct(1, 5), false],
    [['topic', 'Lunch'], inChannel('lunch'), true],
    [['topic', ''], inChannel(''), true],
    [['topic', ''], direct(1, 5), false],
    [['topic', 'general chat'], inChannel(''), true],
    [['topic', '(no topic)'], inChannel(''), true],
    [['topic', 'general chat'], inChannel('lunch'), false],
    [['sender', 'sue@EXAMPLE.com'], inChannel('x'), true],
    [['from', '5'], inChannel('x'), true],
    [['sender', 'me'], inChannel('x'), false],
    [['is', 'dm'], direct(1, 5), true],
    [['is', 'private'], inChannel('x'), false],
    [['is', 'resolved'], inChannel('✔ done'), true],
    [['is', 'resolved'], inChannel('done ✔'), false],
    [['dm', 'u5@example.com'], direct(1, 5), true],
    [['dm', '5'], direct(1, 5, 6), false],
    [['pm-with', 'u5@example.com, u6@example.com'], direct(1, 5, 6), true],
    [['dm', '[5,6]'], direct(1, 5), false],
    [['dm', '1'], direct(1), true],
    [['dm', '5'], direct(1), false],
  ])('%j', (term, message, expected) => {
    expect(passes([term], message)).toBe(expected)
  })

  it("looks at the reader's flags", () => {
    expect(passes([['is', 'unread']], inChannel('x'), ['read'])).toBe(false)
    for (const flag of ['mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'])
      expect(passes([['is', 'mentioned']], inChannel('x'), [flag])).toBe(true)
    expect(passes([['is', 'starred']], inChannel('x'), [])).toBe(false)
  })

  it('of several terms wants them all', () => {
    const terms: [string, string][] = [
      ['channel', 'design'],
      ['topic', 'lunch'],
    ]
    expect(passes(terms, inChannel('lunch'))).toBe(true)
    expect(passes(terms, inChannel('dinner'))).toBe(false)
  })

  it('that nobody can follow is refused', () => {
    expect(() => narrowTest([['has', 'link']])).toThrow(NarrowError)
    expect(() => narrowTest([['is', 'constructor']])).toThrow(NarrowError)
    expect(narrowTest([])).toBeUndefined()
  })
})
