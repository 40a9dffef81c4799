import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { pythonWithClients } from '../running/python-clients.ts'

const unique = randomBytes(4).toString('hex')
let owner: TestUser
let other: TestUser
let site: string

beforeAll(async () => {
  const world = await World.atRoot()
  const person = (name: string, role: 'owner' | 'member') =>
    world.user({ name: `${name} ${unique}`, email: `${name}-${unique}@root.example`, role })
  owner = await person('Calls', 'owner')
  other = await person('Other', 'member')
  site = world.stack.origin.replace('127.0.0.1', 'localhost')
})

// biome-ignore lint/suspicious/noExplicitAny: what a client of another language saw.
let saw: Record<string, any>

describe('the published Python client, with everything that it can do with messages', () => {
  it('is understood in every call', async () => {
    const mods = `mods ${unique}`
    await succeeded(
      owner.post('/users/me/subscriptions', { subscriptions: [{ name: mods }], invite_only: true }),
    )
    const { stream_id } = await succeeded(owner.get('/get_stream_id', { stream: mods }))
    await succeeded(
      owner.patch('/realm', { moderation_request_channel_id: stream_id, enable_read_receipts: true }),
    )
    const python = await pythonWithClients()
    const script = new URL('clients/every-message-call.py', import.meta.url).pathname
    const { stdout } = await promisify(execFile)(python, [
      ...[script, site, owner.email, owner.credentials!.key],
      ...[`calls ${unique}`, other.email, `elsewhere ${unique}`],
    ])
    saw = JSON.parse(stdout)
    const refused = Object.entries(saw).filter(([, answer]) => answer.result !== 'success')
    expect(refused.map(([name, answer]) => [name, answer.code])).toEqual([
      ['to_nobody', 'BAD_REQUEST'],
      ['react_twice', 'REACTION_ALREADY_EXISTS'],
      ['deleted', 'BAD_REQUEST'],
    ])
    const ignored = Object.entries(saw).filter(([, answer]) => 'ignored_parameters_unsupported' in answer)
    // The client repeats in the body what its addresses have.
    expect(ignored.map(([name, answer]) => [name, answer.ignored_parameters_unsupported])).toEqual(
      ['edit', 'detach', 'resolve', 'react', 'unreact'].map((name) => [name, ['message_id']]),
    )
  }, 180_000)

  it('sees what it did', () => {
    expect(saw.send).toEqual({
      result: 'success',
      msg: '',
      id: expect.any(Number),
      automatic_new_visibility_policy: 3,
      message_url: expect.stringContaining(`/near/${saw.send.id}`),
      message_link: expect.stringContaining('[#calls'),
    })
    const { messages, ...window } = saw.listed
    expect(window).toEqual({
      ...{ result: 'success', msg: '', anchor: expect.any(Number), history_limited: false },
      ...{ found_newest: true, found_oldest: expect.any(Boolean), found_anchor: false },
    })
    expect(messages.at(-1)).toMatchObject({ id: saw.attach.id, flags: ['read'] })
    expect(saw.narrowed.messages.map((one: { id: number }) => one.id)).toEqual([saw.poll.id])
    expect(saw.narrowed.messages[0].content).toBe('/poll Lunch?\npizza\nsoup')
    expect(saw.searched.messages[0].match_content).toContain('<span class="highlight">Python</span>')
    expect(saw.matched.messages).toEqual({})
    expect(saw.raw).toMatchObject({ raw_content: 'from **Python**', message: { id: saw.send.id } })
    expect(saw.render.rendered).toContain('<strong>bold</strong>')
    expect(saw.history.message_history).toMatchObject([
      { content: 'from **Python**' },
      { content: 'changed', prev_content: 'from **Python**' },
    ])
    expect(saw.detach.detached_uploads).toMatchObject([{ name: 'notes.txt', message_ids: [] }])
    // The notice that the topic is resolved may be among them, unread already.
    expect(saw.narrow_flags.updated_count).toBe(3)
    expect(saw.narrow_flags.processed_count).toBeGreaterThanOrEqual(3)
    expect(saw.mark_all.complete).toBe(true)
    expect(saw.star.messages).toEqual([saw.send.id])
    const { submessages } = saw.one.message
    expect(submessages.map((one: { content: string }) => JSON.parse(one.content))).toEqual([
      { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['pizza', 'soup'] } },
      { type: 'vote', key: 'canned,0', vote: 1 },
    ])
    const topics = saw.topics.topics.map((one: { name: string }) => one.name)
    expect(topics).toEqual(expect.arrayContaining(['files', '✔ talk']))
    const kinds = saw.events.events.map((one: { type: string }) => one.type)
    for (const kind of ['message', 'update_message', 'reaction', 'submessage']) expect(kinds).toContain(kind)
    expect(saw.drafts).toMatchObject({ count: 1, drafts: [{ content: 'draft' }] })
    expect(saw.scheduled.scheduled_messages).toMatchObject([{ content: 'tomorrow', failed: false }])
    expect(saw.reminders.reminders).toMatchObject([{ reminder_target_message_id: saw.send.id }])
  })

  it('the moderators have the report', async () => {
    const { messages } = await succeeded(
      owner.get('/messages', {
        ...{ anchor: 'newest', num_before: 5, num_after: 0, apply_markdown: false },
        narrow: [['channel', `mods ${unique}`]],
      }),
    )
    const { content, subject } = messages.at(-1)
    expect(subject).toBe(`Calls ${unique} moderation`)
    expect(content).toContain(`/near/${saw.send.id}`)
  })
})
