import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isGuest } from '../channels/channel-rules.ts'
import { getMessage } from '../messages/get-message.ts'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { withCrowd } from '../test-crowds.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { matchesNarrow } from './matches-narrow.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller

interface Sent {
  readonly id: number
  readonly channel: string | undefined
  readonly topic: string
  readonly sender: KnownCaller
  readonly people: readonly number[]
  readonly content: string
  readonly received: ReadonlySet<number>
}
const sent: Sent[] = []
const members: Record<string, KnownCaller[]> = {}
const isPrivate = (channel: string) => channel === 'secret'
const channelId = async (name: string) => (await room.deps.channels.byName(room.realm.id, name))!.id

const contents = [
  'plain words',
  'running https://example.com/a',
  'apples & pears',
  'nothing of note',
  'pears',
]

beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person()
  ben = await room.person()
  guest = await room.person('guest')
  members.open = [admin, anna, guest]
  members.other = [admin, ben]
  members.secret = [admin, ben]
  for (const [name, people] of Object.entries(members)) {
    await room.call(addSubscriptions, admin, {
      subscriptions: [{ name }],
      principals: people.map((one) => one.user.id),
      invite_only: isPrivate(name),
    })
  }
  // Who has many conversations is searched in another way.
  await room.call(addSubscriptions, admin, {
    subscriptions: Array.from({ length: 45 }, (_, n) => ({ name: `quiet ${n}` })),
    principals: [admin.user.id, anna.user.id],
  })
  const topics = ['lunch', 'Tea', '✔ done', '']
  for (let n = 0; n < 120; n += 1) {
    const content = `${contents[n % contents.length]} ${n}`
    if (n % 4 === 3) {
      const [sender, other] = [[anna, ben] as const, [ben, anna] as const, [admin, anna] as const][n % 3]!
      const to = n % 8 === 3 ? [other.user.id] : [other.user.id, guest.user.id]
      const { id } = await room.call(sendMessage, sender, { type: 'direct', to, content })
      const people = [sender.user.id, ...to].sort((a, b) => a - b)
      sent.push({ id, channel: undefined, topic: '', sender, people, content, received: new Set(people) })
      continue
    }
    const channel = Object.keys(members)[n % 3]!
    const sender = members[channel]![n % members[channel]!.length]!
    const topic = topics[(n >> 2) % topics.length]!
    const { id } = await room.call(sendMessage, sender, { type: 'channel', to: channel, topic, content })
    const received = new Set(members[channel]!.map((one) => one.user.id))
    sent.push({ id, channel, topic, sender, people: [], content, received })
  }
  // What sending has done to topics is not meant here.
  await room.deps.database.sql`DELETE FROM user_topics`
  for (const [topic, policy] of [
    ['Lunch', 3],
    ['TEA', 1],
  ] as const) {
    await room.deps.database.sql`
      INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
      SELECT u, c.id, ${topic}, ${policy}
      FROM channels c CROSS JOIN unnest(${[admin, anna, ben, guest].map((one) => one.user.id)}::bigint[]) AS u`
  }
  // Everybody starred every fifth, was mentioned in every seventh, and has read up to somewhere, with exceptions.
  const { sql } = room.deps.database
  for (const { user } of [admin, anna, ben, guest]) {
    for (const one of sent) {
      const bits = (isStarred(one) ? 2 : 0) | (isMentioned(one) ? 8 : 0)
      if (bits > 0) await sql`INSERT INTO message_flags VALUES (${user.id}, ${one.id}, ${bits})`
    }
    await sql`
      INSERT INTO read_marks SELECT ${user.id}, recipient_id, ${mark()} FROM messages GROUP BY recipient_id`
    await sql`
      INSERT INTO read_exceptions SELECT ${user.id}, recipient_id, id, id > ${mark()} FROM messages WHERE id % 11 = 0`
  }
})
afterAll(() => room.close())

const isStarred = ({ id }: Sent) => id % 5 === 0
const isMentioned = ({ id }: Sent) => id % 7 === 0
const mark = () => sent[60]!.id
const isUnread = ({ id, received, sender }: Sent, reader: KnownCaller) =>
  received.has(reader.user.id) && (id % 11 === 0 ? id <= mark() : id > mark() && sender !== reader)

type Test = (message: Sent, reader: KnownCaller) => boolean

/** Terms, and what they mean in other words. */
const vocabulary = (): [term: { operator: string; operand: unknown }, means: Test][] => [
  [{ operator: 'channel', operand: 'open' }, (m) => m.channel === 'open'],
  [{ operator: 'stream', operand: 'OTHER' }, (m) => m.channel === 'other'],
  [{ operator: 'topic', operand: 'LUNCH' }, (m) => m.channel !== undefined && m.topic === 'lunch'],
  [{ operator: 'topic', operand: '' }, (m) => m.channel !== undefined && m.topic === ''],
  [{ operator: 'sender', operand: ben.user.id }, (m) => m.sender === ben],
  [{ operator: 'from', operand: 'me' }, (m, reader) => m.sender.user.id === reader.user.id],
  [{ operator: 'is', operand: 'dm' }, (m) => m.channel === undefined],
  [{ operator: 'is', operand: 'private' }, (m) => m.channel === undefined],
  [{ operator: 'is', operand: 'starred' }, isStarred],
  [{ operator: 'is', operand: 'mentioned' }, isMentioned],
  [{ operator: 'is', operand: 'unread' }, isUnread],
  [{ operator: 'is', operand: 'resolved' }, (m) => m.topic.startsWith('✔ ')],
  [{ operator: 'is', operand: 'alerted' }, () => false],
  [{ operator: 'has', operand: 'link' }, (m) => m.content.includes('https:')],
  [{ operator: 'has', operand: 'image' }, () => false],
  [{ operator: 'has', operand: 'reaction' }, () => false],
  [{ operator: 'search', operand: 'run' }, (m) => m.content.includes('running')],
  [{ operator: 'search', operand: '"apples & pears"' }, (m) => m.content.includes('apples')],
  [{ operator: 'search', operand: 'pear' }, (m) => m.content.includes('pears')],
  [{ operator: 'search', operand: 'of' }, (m) => m.content.includes('of')],
  [{ operator: 'dm-including', operand: [anna.user.id] }, (m) => m.people.includes(anna.user.id)],
  [
    { operator: 'dm-including', operand: [anna.user.id, ben.user.id] },
    (m) => m.people.includes(anna.user.id) && m.people.includes(ben.user.id),
  ],
  [{ operator: 'id', operand: String(sent[30]!.id) }, (m) => m === sent[30]],
  [{ operator: 'channels', operand: 'public' }, (m) => m.channel !== undefined && !isPrivate(m.channel)],
  [{ operator: 'in', operand: 'all' }, () => true],
  [{ operator: 'in', operand: 'home' }, (m) => m.topic !== 'Tea'],
  [{ operator: 'is', operand: 'muted' }, (m) => m.topic === 'Tea'],
  [{ operator: 'is', operand: 'followed' }, (m) => m.topic === 'lunch'],
  [{ operator: 'near', operand: sent[3]!.id }, () => true],
]

const list = async (reader: KnownCaller, narrow: unknown, more: Record<string, unknown> = {}) =>
  room.call(listMessages, reader, { anchor: 'oldest', num_before: 0, num_after: 1000, narrow, ...more })
const ids = ({ messages }: { messages: readonly { id: number }[] }) => messages.map((one) => one.id)

const mayRead = ({ channel, received }: Sent, reader: KnownCaller): boolean =>
  received.has(reader.user.id) || (channel !== undefined && !isPrivate(channel) && !isGuest(reader.user))

const personalKinds = ['starred', 'mentioned', 'unread', 'alerted', 'muted']
/** Channels named (not negated) are searched with what was not sent to the reader, unless it is about the reader. */
const isShared = (terms: readonly { operator: string; operand: unknown; negated: boolean }[]): boolean =>
  terms.some(({ operator, negated }) => ['channel', 'stream', 'channels'].includes(operator) && !negated) &&
  !terms.some(
    ({ operator, operand, negated }) =>
      operator === 'is' && !negated && personalKinds.includes(String(operand)),
  )

describe('a narrow', () => {
  it('contains what a naive model says: every term, negated too, alone and with every other', async () => {
    const words = vocabulary()
    let compared = 0
    for (const [first, [term, means]] of words.entries()) {
      for (const [second, [other, otherMeans]] of words.entries()) {
        if (second < first) continue
        // Guests may not know of the channel that they are not in.
        const namesOther = [term, other].some(({ operand }) => operand === 'OTHER')
        const reader = [anna, ben, namesOther ? anna : guest, admin][(first + second) % 4]!
        const negations = [(first * 7 + second) % 3 === 0, (first + second * 5) % 3 === 0] as const
        const narrow = [
          { ...term, negated: negations[0] },
          { ...other, negated: negations[1] },
        ]
        const expected = sent.filter(
          (one) =>
            means(one, reader) !== (negations[0] && !isHint(term)) &&
            otherMeans(one, reader) !== (negations[1] && !isHint(other)) &&
            (isShared(narrow) ? mayRead(one, reader) : one.received.has(reader.user.id)),
        )
        const found = ids(await list(reader, narrow))
        expect(found, JSON.stringify([narrow, reader.user])).toEqual(expected.map((one) => one.id))
        compared += found.length
        if (second !== first) continue
        const { messages } = await room.call(matchesNarrow, reader, {
          msg_ids: sent.map((one) => one.id),
          narrow,
        })
        expect(Object.keys(messages).map(Number), JSON.stringify(narrow)).toEqual(found)
        const unread = expected.find((one) => isUnread(one, reader))
        const from = await list(reader, narrow, { anchor: 'first_unread', num_before: 0, num_after: 0 })
        expect(from.anchor, JSON.stringify(narrow)).toBe(unread?.id ?? 10_000_000_000_000_000)
      }
    }
    expect(compared).toBeGreaterThan(500)
  })

  it('is searched page by page from both sides', async () => {
    for (const [term, means] of vocabulary()) {
      const narrow = [term]
      const own = sent
        .filter((one) => means(one, anna) && one.received.has(anna.user.id))
        .map((one) => one.id)
      if (isShared([{ ...term, negated: false }])) continue
      for (const anchor of [sent[10]!.id, sent[55]!.id, sent[100]!.id]) {
        const page = await list(anna, narrow, { anchor, num_before: 3, num_after: 4 })
        const older = own.filter((id) => id < anchor).slice(-3)
        const at = own.filter((id) => id === anchor)
        const newer = own.filter((id) => id > anchor).slice(0, 4)
        expect(ids(page), JSON.stringify(term)).toEqual([...older, ...at, ...newer])
        expect(page.found_oldest).toBe(older.length < 3)
        expect(page.found_newest).toBe(newer.length < 4)
      }
    }
  })

  it('takes pairs, and people by e-mail, ID and list', async () => {
    const pair = await list(anna, [
      ['channel', 'open'],
      ['topic', 'tea'],
    ])
    expect(ids(pair)).toEqual(
      sent.filter((one) => one.channel === 'open' && one.topic === 'Tea').map((one) => one.id),
    )
    const both = [anna.user.id, ben.user.id].sort()
    const expected = sent.filter((one) => one.people.join() === both.join()).map((one) => one.id)
    expect(expected.length).toBeGreaterThan(3)
    const email = (await room.deps.users.byIds(room.realm.id, [ben.user.id])).get(ben.user.id)!.email
    for (const operand of [ben.user.id, [ben.user.id], both, email, `${ben.user.id}`, `${email},me`]) {
      expect(ids(await list(anna, [{ operator: 'dm', operand }]))).toEqual(expected)
      expect(ids(await list(anna, [{ operator: 'pm-with', operand }]))).toEqual(expected)
    }
  })

  it('follows a message to its conversation', async () => {
    const one = sent.find((m) => m.channel === 'open' && m.topic === 'lunch')!
    const withIt = await list(anna, [
      ['channel', 'open'],
      ['topic', 'an older name'],
      ['with', String(one.id)],
    ])
    expect(ids(withIt)).toEqual(
      sent.filter((m) => m.channel === 'open' && m.topic === 'lunch').map((m) => m.id),
    )
  })

  it('begins at what is unread, at a date, and at IDs', async () => {
    const unread = sent.filter((one) => isUnread(one, anna)).map((one) => one.id)
    const first = await list(anna, [], { anchor: 'first_unread', num_after: 0 })
    expect(first).toMatchObject({ anchor: unread[0], found_anchor: true })
    const legacy = await list(anna, [], { anchor: 0, use_first_unread_anchor: true, num_after: 0 })
    expect(legacy.anchor).toBe(unread[0])
    const inDirect = unread.find((id) => sent.find((one) => one.id === id)!.channel === undefined)
    expect((await list(anna, [['is', 'dm']], { anchor: 'first_unread' })).anchor).toBe(inDirect)

    const { sql } = room.deps.database
    // A date has milliseconds, in which two may have been sent.
    await sql`UPDATE messages SET sent_at = sent_at + interval '5 ms' WHERE id >= ${sent[70]!.id}`
    const [middle] = await sql<{ at: Date }[]>`SELECT sent_at AS at FROM messages WHERE id = ${sent[70]!.id}`
    const dated = await list(admin, [['channel', 'open']], {
      anchor: 'date',
      anchor_date: middle!.at.toISOString(),
    })
    expect(dated.anchor).toBe(sent.find((one) => one.id >= sent[70]!.id && one.channel === 'open')!.id)
    const later = await list(admin, [], { anchor: 'date', anchor_date: '2999-01-01', num_before: 1 })
    expect(ids(later)).toEqual([sent.findLast((one) => one.received.has(admin.user.id))!.id])

    for (const anchor_date of ['0001-01-01T00:00:00+05:00', '9999-12-31T23:59:59-12:00']) {
      const far = await list(admin, [], { anchor: 'date', anchor_date, num_before: 1000 })
      expect(ids(far)).toHaveLength(sent.filter((one) => one.received.has(admin.user.id)).length)
    }
    for (const anchor_date of ['2026-02-30', '2026-13-01', '2026-01-01T25:00:00', 'yesterday']) {
      await expect(list(admin, [], { anchor: 'date', anchor_date })).rejects.toThrow('ISO 8601')
    }
    expect((await list(anna, [], { anchor: '99999999999999999999' })).anchor).toBe(10_000_000_000_000_000)

    const some = [sent[0]!, sent[1]!, sent[2]!]
    const byIds = await room.call(listMessages, anna, { message_ids: some.map((one) => one.id) })
    expect(ids(byIds)).toEqual(some.filter((one) => mayRead(one, anna)).map((one) => one.id))
    expect(byIds).not.toHaveProperty('anchor')
  })

  it('shows what a search found, here and for messages by ID', async () => {
    const narrow = [{ operator: 'search', operand: 'pear' }]
    const { messages } = await list(anna, narrow)
    const [found] = messages.filter((one) => one.content.includes('&amp;'))
    expect(found!.match_content).toMatch(/^<p>apples &amp; <span class="highlight">pears<\/span> \d+<\/p>$/)
    expect(found!.match_subject).toBe(found!.subject.replace('&', '&amp;'))
    const asked = sent.map((one) => one.id)
    const matched = await room.call(matchesNarrow, anna, { msg_ids: asked, narrow })
    expect(Object.keys(matched.messages).map(Number)).toEqual(ids({ messages }))
    expect(matched.messages[found!.id]).toEqual({
      match_content: found!.match_content,
      match_subject: found!.match_subject,
    })
    // Nothing but what was asked for, wherever else the words are.
    const last = ids({ messages }).at(-1)!
    const alone = (id: number) => room.call(matchesNarrow, anna, { msg_ids: [id], narrow })
    expect(Object.keys((await alone(last)).messages).map(Number)).toEqual([last])
    const other = asked.findLast((id) => !ids({ messages }).includes(id))!
    expect((await alone(other)).messages).toEqual({})
    const plain = await room.call(matchesNarrow, anna, { msg_ids: asked, narrow: [['channel', 'open']] })
    expect(Object.values(plain.messages)[0]!.match_content).toContain('<p>')
  })

  it('finds a conversation of thousands by everybody in it, and by most of them', () =>
    withCrowd(room, 9000, async (people) => {
      const { id } = await room.call(sendMessage, anna, { type: 'direct', to: people, content: 'all of you' })
      const most = [...people.slice(1), people[1]!]
      expect(ids(await list(anna, [{ operator: 'dm', operand: people }]))).toEqual([id])
      expect(ids(await list(anna, [{ operator: 'dm', operand: most }]))).toEqual([])
      expect(ids(await list(anna, [{ operator: 'dm-including', operand: most }]))).toEqual([id])
      const others = [...most, ben.user.id]
      expect(ids(await list(anna, [{ operator: 'dm-including', operand: others }]))).toEqual([])
    }))

  it.each([
    [{ operator: 'channel', operand: 'nowhere' }, 'unknown channel'],
    [{ operator: 'channel', operand: 987654 }, 'unknown channel'],
    [{ operator: 'channel', operand: 'secret' }, 'unknown channel'],
    [{ operator: 'sender', operand: 'nobody@example.com' }, 'unknown user'],
    [{ operator: 'dm', operand: [987654] }, 'unknown user'],
    [{ operator: 'is', operand: 'nice' }, "unknown 'is' operand: nice"],
    [{ operator: 'has', operand: 'wings' }, "unknown 'has' operand: wings"],
    [{ operator: 'with', operand: 987654 }, "Invalid 'with' operator"],
    [{ operator: 'near', operand: 'here' }, 'no message ID'],
    [{ operator: 'colour', operand: 'red' }, 'Invalid operator'],
    [{ operator: 'search', operand: 'word '.repeat(1000) }, 'search is too long (limit: 1000 characters)'],
  ])('is refused: %j', async (term, desc) => {
    const refused = list(anna, [term])
    await expect(refused).rejects.toMatchObject({
      error: 'BAD_NARROW',
      fields: { desc: expect.stringContaining(desc) },
    })
    await expect(room.call(matchesNarrow, anna, { msg_ids: [], narrow: [term] })).rejects.toMatchObject({
      error: 'BAD_NARROW',
    })
  })

  it('shows web-public channels to anybody where the organization says so, and nothing else', async () => {
    const anonymous = { ...anna, user: null }
    const { sql } = room.deps.database
    await sql`UPDATE channels SET is_web_public = true WHERE id = ${await channelId('open')}`
    const inOpen = sent.filter((one) => one.channel === 'open').map((one) => one.id)
    const ask = (narrow: unknown) =>
      room.call(listMessages, anonymous, { anchor: 'oldest', num_before: 0, num_after: 1000, narrow })
    await expect(ask([['channels', 'web-public']])).rejects.toMatchObject({ error: 'UNAUTHORIZED' })
    await room.settle({ enable_spectator_access: true })
    const shown = await ask([['channels', 'web-public']])
    expect(ids(shown)).toEqual(inOpen)
    expect(shown.messages[0]!.flags).toEqual(['read', 'historical'])
    expect(
      ids(
        await ask([
          ['channels', 'web-public'],
          ['channel', 'open'],
        ]),
      ),
    ).toEqual(inOpen)
    await expect(ask([])).rejects.toMatchObject({ error: 'UNAUTHORIZED' })
    await expect(
      ask([
        ['channels', 'web-public'],
        ['channel', 'other'],
      ]),
    ).rejects.toMatchObject({
      error: 'BAD_NARROW',
    })
    expect(
      ids(
        await ask([
          ['channels', 'web-public'],
          ['is', 'dm'],
        ]),
      ),
    ).toEqual([])
    await expect(
      room.call(getMessage, anonymous, { message_id: sent.find((one) => one.channel === 'other')!.id }),
    ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    const one = await room.call(getMessage, anonymous, { message_id: inOpen[0]! })
    expect(one.message.id).toBe(inOpen[0])
    await room.settle({ enable_spectator_access: false })
    await sql`UPDATE channels SET is_web_public = false`
  })
})

const isHint = ({ operator, operand }: { operator: string; operand: unknown }) =>
  operator === 'near' || (operator === 'in' && operand === 'all')
