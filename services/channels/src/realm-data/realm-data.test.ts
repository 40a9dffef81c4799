import type { KnownCaller } from '@parley/contracts'
import { type ArchiveScope, type IdRange, type IdShifts, PartSummary } from '@parley/contracts/realm-data'
import type { Row } from '@parley/kit/holdings'
import { purgeHoldings, tracesOf } from '@parley/kit/purge-holdings'
import { readHoldings } from '@parley/kit/read-holdings'
import { shifted } from '@parley/kit/rewritings'
import { reserveIds, takeInRows } from '@parley/kit/take-in-holdings'
import { TarReader } from '@parley/kit/tar'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { takeInUser } from '../directory/on-user-changed.ts'
import { createDrafts } from '../drafts/create-drafts.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addReaction } from '../reactions/add-reaction.ts'
import { updateMessageFlags } from '../read-state/update-message-flags.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { holdings } from './holdings.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let cleo: KnownCaller
const parts = () => ({ database: room.deps.database, holdings, deps: room.deps })

const subscribe = (people: KnownCaller[], name: string, more: object = {}) =>
  room.call(addSubscriptions, people[0]!, {
    ...{ subscriptions: [{ name }], principals: people.map((one) => one.user.id), ...more },
  })
const say = async (who: KnownCaller, to: string | number[], content: string): Promise<number> => {
  const type = typeof to === 'string' ? 'channel' : 'direct'
  return (await room.call(sendMessage, who, { type, to, topic: 't', content })).id
}

beforeAll(async () => {
  room = await openTestRoom()
  ;[anna, ben, cleo] = [await room.person(), await room.person(), await room.person()]
  await subscribe([anna, ben], 'open')
  await subscribe([anna, ben], 'shared', { invite_only: true, history_public_to_subscribers: true })
  await subscribe([anna], 'guarded', { invite_only: true, history_public_to_subscribers: false })
  const open = await say(anna, 'open', `in the open, @**Person 2|${ben.user.id}**`)
  await say(anna, 'shared', 'among subscribers')
  await say(anna, 'guarded', 'before cleo came')
  await subscribe([anna, cleo], 'guarded', { invite_only: true })
  await say(anna, 'guarded', 'after cleo came')
  await say(anna, [ben.user.id], 'between two')
  await room.call(addReaction, ben, { message_id: open, emoji_name: 'heart' })
  await room.call(updateMessageFlags, ben, { messages: [open], op: 'add', flag: 'starred' })
  await room.call(createDrafts, ben, {
    drafts: [{ type: 'private', to: [anna.user.id], topic: '', content: 'a draft', timestamp: 1 }],
  })
})
afterAll(() => room.close())

const read = async (realmId: number, scope: Partial<ArchiveScope> = {}) => {
  const asked = { export_type: 'full_without_consent', consenting: [], ...scope } as ArchiveScope
  const tables = new Map<string, Row[]>()
  let summary: PartSummary | undefined
  const reader = new TarReader({
    wants: () => true,
    onEntry: ({ name }, _sum, content) => {
      const table = name.split('/')[1]!
      const lines = () =>
        content!
          .toString()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Row)
      if (table === 'part.json') summary = PartSummary.parse(lines()[0])
      else if (table !== 'checksums') tables.set(table, [...(tables.get(table) ?? []), ...lines()])
    },
  })
  for await (const chunk of readHoldings(parts(), realmId, asked)) await reader.take(chunk)
  reader.end()
  return { tables, summary: summary!, said: (tables.get('messages') ?? []).map(({ content }) => content) }
}

it('an archive has what its readers agreed to, and no more', async () => {
  const open = `in the open, @**Person 2|${ben.user.id}**`
  expect((await read(7, { export_type: 'public' })).said).toEqual([open])
  const of = async (...people: KnownCaller[]) =>
    (await read(7, { export_type: 'full_with_consent', consenting: people.map(({ user }) => user.id) })).said
  expect(await of()).toEqual([open])
  expect(await of(ben)).toEqual([open, 'among subscribers', 'between two'])
  expect(await of(cleo)).toEqual([open, 'after cleo came'])
  const { tables, said } = await read(7)
  expect(said).toHaveLength(5)
  expect(tables.get('drafts')).toHaveLength(1)
  const fewer = await read(7, { export_type: 'public' })
  for (const table of ['drafts', 'message_flags', 'conversations', 'subscriptions', 'read_marks']) {
    expect([table, fewer.tables.get(table)]).toEqual([table, undefined])
  }
  expect(fewer.tables.get('channels')!.map(({ name }) => name)).toEqual(['open'])
})

/** The archive of one organization becomes another, twice over; both are read and compared. */
it('what is taken in is the same up to its IDs, also when it is given twice', async () => {
  const before = await read(7)
  const own: Record<string, IdRange> = before.summary.ids
  const users = [anna, ben, cleo].map(({ user }) => user.id)
  const shifts: IdShifts = {
    ...(await reserveIds(room.deps.database, holdings, own)),
    user: { least: Math.min(...users), most: Math.max(...users), by: 5000 },
    group: { least: 100, most: 107, by: 700 },
  }
  const again = await reserveIds(room.deps.database, holdings, own)
  for (const [kind, { by, least, most }] of Object.entries(again)) {
    // What one import keeps is given to nobody else.
    expect([kind, by > shifts[kind]!.by + most - least]).toEqual([kind, true])
  }
  for (const user of (await room.deps.users.byIds(7, users)).values()) {
    await takeInUser(room.deps.database.sql, { ...user, id: user.id + 5000, realm_id: 8 })
  }
  const origin = { realm_id: 7, url: 'http://acme.chat.example' }
  const context = { realmId: 8, realmHost: 'b.example', origin, shifts, asStubs: false }
  for (let time = 0; time < 2; time += 1) {
    for (const { table } of holdings.tables) {
      const rows = before.tables.get(table)
      if (rows !== undefined) await takeInRows(parts(), table, rows, context)
    }
  }
  await holdings.settle?.(8, room.deps)
  const after = await read(8)
  expect(after.summary.rows).toEqual(before.summary.rows)
  expect(after.summary.rows.messages).toBe(5)
  for (const [table, rows] of before.tables) {
    const fresh = after.tables.get(table)!
    const named = rows.map((row) => (row.name ?? row.content ?? row.topic ?? row.emoji_name) as string)
    expect([table, fresh.map((row) => row.name ?? row.content ?? row.topic ?? row.emoji_name)]).toEqual([
      table,
      named.map((text) => text?.replace(`|${ben.user.id}**`, `|${ben.user.id + 5000}**`)),
    ])
  }
  const [message, other] = [before.tables.get('messages')!, after.tables.get('messages')!]
  expect(other.map(({ id }) => id)).toEqual(message.map(({ id }) => shifted(shifts, 'message', id as number)))
  expect(other.map(({ sender_id }) => sender_id)).toEqual(
    message.map(({ sender_id }) => (sender_id as number) + 5000),
  )
  const [channel] = after.tables.get('channels')!
  expect(channel!.realm_id).toBe(8)
  await room.deps.database.sql`
    INSERT INTO realms (id, subdomain, name, is_active, system_groups, version, settings)
    SELECT 8, 'b', 'B', true,
      (SELECT jsonb_object_agg(name, id::bigint + 700) FROM jsonb_each_text(system_groups) AS g (name, id)), 1, settings
    FROM realms WHERE id = 7`
  // Conversations are found by who is in them.
  const pair = [anna, ben].map(({ user }) => user.id + 5000)
  expect(await room.deps.conversations.recipientId(8, pair)).toBe(
    after.tables.get('conversations')![0]!.recipient_id,
  )
  const [draft] = after.tables.get('drafts')!
  expect(draft!.recipients).toEqual([anna.user.id + 5000])
  // And people there can go on talking.
  const there = (id: number): KnownCaller => ({
    ...anna,
    realm: { ...anna.realm, id: 8 },
    user: { ...anna.user, id: id + 5000 },
  })
  const next = await say(there(anna.user.id), 'open', 'after the move')
  expect(next).toBeGreaterThan(Math.max(...other.map(({ id }) => id as number)))
})

it('an organization ends without a trace, and its neighbour is whole', async () => {
  const kept = await tracesOf(parts(), 8)
  expect(kept.messages).toBe(6)
  await room.deps.database
    .sql`SELECT archive_messages(ARRAY(SELECT min(id) FROM messages WHERE realm_id = 7))`
  expect((await tracesOf(parts(), 7)).archived_rows).toBeGreaterThan(1)
  let cut = 0
  // Cut off after each step, again and again.
  for (;;) {
    try {
      await purgeHoldings(parts(), 7, () => {
        cut += 1
        if (cut % 2 === 1) throw new Error('cut off')
      })
      break
    } catch (error) {
      if ((error as Error).message !== 'cut off') throw error
    }
  }
  expect(cut).toBeGreaterThan(10)
  expect(await tracesOf(parts(), 7)).toEqual({})
  expect(await tracesOf(parts(), 8)).toEqual(kept)
  // Nothing is left whose owner is gone either.
  const { sql } = room.deps.database
  for (const [table, column] of [
    ['message_flags', 'message_id'],
    ['reactions', 'message_id'],
    ['read_exceptions', 'message_id'],
  ] as const) {
    const rows = await sql`
      SELECT FROM ${sql(table)} t WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = t.${sql(column)})`
    expect([table, rows.count]).toEqual([table, 0])
  }
  const orphans = await sql`
    SELECT FROM subscription_periods t WHERE NOT EXISTS (SELECT FROM channels c WHERE c.id = t.channel_id)`
  expect(orphans.count).toBe(0)
})
