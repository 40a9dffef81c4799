import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { readReply } from './reply.ts'
import { newSecret, signatureHeaders } from './signature.ts'

describe('a signature', () => {
  it('satisfies the published verifier, with each of two secrets, and with no other', () => {
    const [current, previous, other] = [newSecret(), newSecret(), newSecret()]
    const body = '{"text":"snö ☃"}'
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = signatureHeaders({ secrets: [current, previous], id: 'msg_1', timestamp, body })
    expect(new Webhook(current).verify(body, headers)).toEqual(JSON.parse(body))
    expect(new Webhook(previous).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(other).verify(body, headers)).toThrow()
    for (const changed of [
      { 'webhook-id': 'msg_2' },
      { 'webhook-timestamp': String(timestamp + 1) },
      { 'webhook-signature': 'v1,AAAA' },
    ]) {
      expect(() => new Webhook(current).verify(body, { ...headers, ...changed })).toThrow()
    }
  })
})

describe('an answer', () => {
  const native = (body: string) => readReply(1, { body, isWhole: true })
  const slack = (body: string) => readReply(2, { body, isWhole: true })
  const text = (content: string) => ({ kind: 'text', content })
  const nothing = { kind: 'nothing' }

  it('says something, or nothing', () => {
    expect(native('{"content":"hi"}')).toEqual(text('hi'))
    expect(native('{"response_string":"old"}')).toEqual(text('old'))
    expect(native('{"response_string":"old","content":"new"}')).toEqual(text('old'))
    expect(native('{"content":42}')).toEqual(text('42'))
    expect(slack('{"text":"hi","content":"no"}')).toEqual(text('hi'))
    // No message can have this character, and no column.
    expect(native('{"content":"a\\u0000b"}')).toEqual(text('ab'))
    expect(slack('{"text":"\\u0000a"}')).toEqual(text('a'))
    expect(native('{"content":"\\u0000"}')).toEqual(nothing)
    for (const body of [
      '',
      '  \n',
      '""',
      'null',
      '{}',
      '{"content":""}',
      '{"content":" "}',
      '{"content":null}',
    ]) {
      expect(native(body)).toEqual(nothing)
    }
    expect(native('{"response_not_required":true,"content":"x"}')).toEqual(nothing)
    expect(native('{"response_not_required":false,"content":"x"}')).toEqual(text('x'))
    expect(slack('{"content":"x"}')).toEqual(nothing)
  })

  it('shows a widget beside its text, and none without', () => {
    const widget = '{"widget_type":"poll","extra_data":{"question":"?","options":[]}}'
    const asked = { ...text('vote'), widget }
    expect(native(JSON.stringify({ content: 'vote', widget_content: widget }))).toEqual(asked)
    expect(native(JSON.stringify({ content: 'vote', widget_content: JSON.parse(widget) }))).toEqual(asked)
    for (const none of [{ widget_content: widget }, { content: ' ', widget_content: widget }]) {
      expect(native(JSON.stringify(none))).toEqual(nothing)
    }
    expect(native('{"content":"vote","widget_content":null}')).toEqual(text('vote'))
    expect(native('{"response_string":"old","widget_content":"x"}')).toEqual(text('old'))
    expect(slack('{"text":"hi","widget_content":"x"}')).toEqual(text('hi'))
  })

  it('of a server made for Slack has its links and entities made plain', () => {
    for (const [said, meant] of [
      ['see <https://a.example/x?y=1|the page>', 'see [the page](https://a.example/x?y=1)'],
      ['<https://a.example/(x)|[a] (b)>', '[a (b)](https://a.example/%28x%29)'],
      ['<mailto:b@a.example|Ben>', '[Ben](mailto:b@a.example)'],
      ['<https://a.example> and <mailto:b@a.example|b@a.example>', 'https://a.example and b@a.example'],
      ['1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
      ['a < b | c > d, <script>, <javascript:x|y>', 'a < b | c > d, <script>, <javascript:x|y>'],
    ]) {
      expect(slack(JSON.stringify({ text: said }))).toEqual(text(meant!))
      expect(native(JSON.stringify({ content: said }))).toEqual(text(said!))
    }
  })

  it('that nobody can read is told from one that says nothing', () => {
    for (const body of ['<html>', '{', 'OK']) {
      expect(native(body)).toEqual({ kind: 'unreadable', complaint: 'Invalid JSON in response' })
    }
    for (const body of ['[]', '7', '"text"', 'true']) {
      expect(native(body)).toEqual({ kind: 'unreadable', complaint: 'Invalid response format' })
    }
    expect(readReply(1, { body: '{"content":"cut', isWhole: false })).toMatchObject({ kind: 'unreadable' })
  })

  it('is not led astray by names of prototypes', () => {
    expect(native('{"__proto__":{"content":"x"}}')).toEqual(nothing)
  })
})
