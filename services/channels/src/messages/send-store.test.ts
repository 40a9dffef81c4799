import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rehearsal, withSender } from '../scheduler/senders.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { sendMessage } from './send-message.ts'
import { forgetLocalIds, type OutgoingMessage, sendMessages } from './send-store.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

it('forgets local IDs once they are old, a few at a time', async () => {
  const { sql } = room.deps.database
  await sql`
    INSERT INTO sent_local_ids SELECT 1, 'q', n::text, n, now() - make_interval(hours => n)
    FROM generate_series(20, 29) AS n`
  expect(await forgetLocalIds(sql, 24, 4)).toBe(4)
  expect(await forgetLocalIds(sql, 24, 4)).toBe(2)
  const left = await sql<{ message_id: number }[]>`SELECT message_id FROM sent_local_ids ORDER BY message_id`
  expect(left.map((row) => row.message_id)).toEqual([20, 21, 22, 23])
})

let channels = 0
/** A message on its way, in a channel of its own. */
const outgoing = async (): Promise<OutgoingMessage> => {
  const anna = await room.person()
  channels += 1
  const name = `channel ${channels}`
  await room.call(addSubscriptions, anna, { subscriptions: [{ name }] })
  const seen = rehearsal(room.deps.database)
  const sent = { type: 'channel', to: name, topic: 'batch', content: 'hello' }
  await room.call(sendMessage, anna, sent, withSender(room.deps, seen))
  return { ...seen.message!, wishes: null }
}

describe('a batch', () => {
  it('is judged and stored message by message, as if each had been sent alone', async () => {
    const { sql } = room.deps.database
    const message = await outgoing()
    const stranger = await room.person()
    const named = { ...message, queue_id: 'q', local_id: '1.01' }
    await room.announced()
    const { outcomes, entered } = await sendMessages(sql, [
      { ...named, channel_version: 999 },
      named,
      { ...message, members_only: true, sender_id: stranger.user.id },
      { ...named, content: 'again' },
      { ...message, widget: '{"widget_type":"poll"}' },
    ])
    const [first, second] = [outcomes[1]!.id!, outcomes[4]!.id!]
    expect(outcomes.map(({ outcome, id }) => [outcome, id])).toEqual([
      ['stale', null],
      ['sent', first],
      ['not_member', null],
      ['repeated', first],
      ['sent', second],
    ])
    expect(entered).toBeNull()
    const told = (await room.announced()).map(({ topic, value }) => [topic, value.message.id])
    expect(told).toEqual([
      ['client-events', first],
      ['channels.messages', first],
      ['client-events', second],
      ['channels.messages', second],
    ])
    const widgets = await sql`SELECT message_id FROM submessages WHERE message_id IN (${first}, ${second})`
    expect(widgets).toEqual([{ message_id: second }])
  })

  it("enters its announcements into the relay's account, if that is as the borrower knows it", async () => {
    const { sql } = room.deps.database
    const message = await outgoing()
    await sql`DELETE FROM outbox`
    await sql`UPDATE relay_state SET first_seq = 7, ids = '{}'`
    const { entered } = await sendMessages(sql, [message], { firstSeq: 7, size: 0 })
    const written = await sql`
      SELECT id, xid, topic, key, value, audience, traceparent FROM outbox ORDER BY id`
    expect(entered).toEqual(written.map((row) => ({ ...row, at: expect.any(Number) })))
    expect(Math.abs(entered![0]!.at - Date.now())).toBeLessThan(60_000)
    const account = async () => (await sql`SELECT first_seq, ids FROM relay_state`)[0]
    const known = { first_seq: 7, ids: written.map(({ id }) => id) }
    expect(await account()).toEqual(known)
    const lateBorrower = { firstSeq: 7, size: 0 }
    expect((await sendMessages(sql, [message], lateBorrower)).entered).toBeNull()
    // What the late one sent waits, and must not be overtaken.
    expect((await sendMessages(sql, [message], { firstSeq: 7, size: 2 })).entered).toBeNull()
    expect(await account()).toEqual(known)
  })
})
