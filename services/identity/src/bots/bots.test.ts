import type { KnownCaller } from '@parley/contracts'
import { BotFact, botsTopic, usersTopic } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteBotStorage } from '../bot-storage/delete-bot-storage.ts'
import { getBotStorage } from '../bot-storage/get-bot-storage.ts'
import { putBotStorage } from '../bot-storage/put-bot-storage.ts'
import { authenticate } from '../log-in/authenticate.ts'
import { createRealm } from '../realms/create-realm.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createBot } from './create-bot.ts'
import { deactivateBot } from './deactivate-bot.ts'
import { getBotApiKey } from './get-bot-api-key.ts'
import { listBots } from './list-bots.ts'
import { regenerateBotApiKey } from './regenerate-bot-api-key.ts'
import { updateBot } from './update-bot.ts'

let room: TestRoom
let realm: TestOrganization['realm']
let people: TestOrganization['people']
let colleague: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  const organization = await openTestOrganization(room)
  realm = organization.realm
  people = organization.people
  colleague = await organization.person('colleague')
  await room.announced()
})

const hook = { bot_type: '3', payload_url: '"https://hooks.example/parley"', interface_type: '2' }
const make = (caller: KnownCaller, sent: Record<string, string> = {}) =>
  room.call(createBot, caller, { full_name: 'Helper', short_name: 'helper', ...sent })
const path = (bot: { user_id: number }) => ({ bot_id: String(bot.user_id) })
const asBot = (bot: { user_id: number }): KnownCaller => ({
  realm,
  user: { id: bot.user_id, role: 400, bot_type: 1 },
  client: 'test',
})
const told = async () => {
  const all = await room.announced()
  return {
    events: all.filter(({ topic, value }) => topic === 'client-events' && value.type !== 'user_group'),
    facts: all.filter(({ topic }) => topic === botsTopic.name).map(({ value }) => BotFact.parse(value)),
    users: all.filter(({ topic }) => topic === usersTopic.name).map(({ value }) => value),
  }
}
const watchers = (...callers: KnownCaller[]): number[] =>
  callers.map(({ user }) => user.id).sort((a, b) => a - b)

describe('a new bot', () => {
  it('is its maker’s, has an address and a key, and is announced to those whom it concerns', async () => {
    const bot = await make(people.member, hook)
    const email = `helper-bot@${realm.subdomain}.chat.example`
    expect(await room.ask(authenticate, { realm_id: realm.id, email, api_key: bot.api_key })).toMatchObject({
      outcome: 'accepted',
      user: { id: bot.user_id, bot_type: 3, role: 400 },
    })
    const { events, facts } = await told()
    expect(events.map(({ value }) => [value.type, value.op])).toEqual([
      ['realm_user', 'add'],
      ['realm_bot', 'add'],
    ])
    expect(events[0]!.value.person).toMatchObject({ bot_owner_id: people.member.user.id, is_bot: true })
    expect(events[1]!.audience.users).toEqual(watchers(people.owner, people.administrator, people.member))
    const service = { base_url: 'https://hooks.example/parley', interface: 2, token: expect.any(String) }
    expect(events[1]!.value.bot).toEqual({
      user_id: bot.user_id,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      services: [service],
    })
    expect(facts).toEqual([
      expect.objectContaining({
        id: bot.user_id,
        owner_id: people.member.user.id,
        email,
        services: [service],
      }),
    ])
  })

  it.each([
    [{ bot_type: '5' }, 'Invalid bot type'],
    [{ bot_type: '4' }, 'Embedded bots are not enabled.'],
    [{ bot_type: '3' }, 'payload_url is not a URL'],
    [{ bot_type: '3', payload_url: 'ftp://x.example/' }, 'payload_url is not a URL'],
    [{ short_name: '' }, 'Bad name or username'],
    [{ short_name: 'a b' }, 'Bad name or username'],
    [{ full_name: '' }, 'Name too short!'],
    [{ full_name: 'COLLEAGUE' }, 'Name is already in use!'],
  ])('is not made with %j', async (sent, message) => {
    await expect(make(people.member, sent as Record<string, string>)).rejects.toMatchObject({ message })
  })

  it('has an address of its own, and one name, however many ask at once', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => make(people.member, { full_name: `Bot ${n}` })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is not for guests', async () => {
    await expect(make(people.guest)).rejects.toMatchObject({ message: 'Insufficient permission' })
  })
})

describe('who may manage a bot', () => {
  it('is its owner and administrators; nobody else learns that it is there', async () => {
    const bot = await make(people.member)
    const absent = { bot_id: '999999' }
    for (const handler of [
      getBotApiKey,
      regenerateBotApiKey,
      deactivateBot,
      updateBot,
    ] as unknown as (typeof getBotApiKey)[]) {
      for (const caller of [people.guest, people.moderator, colleague]) {
        const refused = { error: 'BAD_REQUEST', message: 'No such bot' }
        await expect(room.call(handler, caller, {}, path(bot))).rejects.toMatchObject(refused)
        await expect(room.call(handler, caller, {}, absent)).rejects.toMatchObject(refused)
      }
    }
    for (const caller of [people.member, people.administrator, people.owner]) {
      expect(await room.call(getBotApiKey, caller, {}, path(bot))).toEqual({ api_key: bot.api_key })
    }
  })

  it('is nobody of another organization, and people are no bots', async () => {
    const bot = await make(people.member)
    const other = await room.ask(createRealm, { subdomain: 'other', name: 'Other' })
    const foreign = { ...people.owner, realm: { ...realm, id: other.realm_id } }
    const refused = { message: 'No such bot' }
    await expect(room.call(getBotApiKey, foreign, {}, path(bot))).rejects.toMatchObject(refused)
    const human = { bot_id: String(people.guest.user.id) }
    await expect(room.call(getBotApiKey, people.owner, {}, human)).rejects.toMatchObject(refused)
  })

  it('does not include administrators when the bot is an organization owner', async () => {
    const bot = await make(people.owner)
    await room.call(updateBot, people.owner, { role: '100' }, path(bot))
    await expect(room.call(getBotApiKey, people.administrator, {}, path(bot))).rejects.toMatchObject({
      message: 'No such bot',
    })
  })
})

describe('changing a bot', () => {
  it('is not the way to become an administrator', async () => {
    const bot = await make(people.member)
    for (const [caller, role] of [
      [people.member, '200'],
      [people.member, '100'],
      [people.administrator, '100'],
    ] as const) {
      await expect(room.call(updateBot, caller, { role }, path(bot))).rejects.toMatchObject({
        error: 'UNAUTHORIZED_PRINCIPAL',
      })
    }
  })

  it('tells each of the changes to those whom they concern', async () => {
    const bot = await make(people.member, hook)
    await told()
    await room.call(
      updateBot,
      people.member,
      { full_name: 'Servant', short_name: 'servant', service_interface: '1', default_sending_stream: 'news' },
      path(bot),
    )
    const { events, facts } = await told()
    const email = `servant-bot@${realm.subdomain}.chat.example`
    expect(events.map(({ value }) => value.person ?? value.bot)).toEqual([
      { user_id: bot.user_id, full_name: 'Servant' },
      { user_id: bot.user_id, new_email: email },
      { user_id: bot.user_id, delivery_email: email },
      expect.objectContaining({ user_id: bot.user_id, avatar_source: 'G' }),
      {
        user_id: bot.user_id,
        default_sending_stream: 'news',
        services: [expect.objectContaining({ interface: 1 })],
      },
    ])
    expect(facts.at(-1)).toMatchObject({ full_name: 'Servant', email })
  })

  it('moves it to another owner: the old one loses sight of it, the new one is shown it', async () => {
    const bot = await make(people.member)
    await told()
    await room.call(updateBot, people.member, { bot_owner_id: String(colleague.user.id) }, path(bot))
    const { events } = await told()
    expect(events.map(({ audience, value }) => [value.op, audience.users])).toEqual([
      ['update', undefined],
      ['delete', [people.member.user.id]],
      ['add', [colleague.user.id]],
    ])
    await expect(room.call(getBotApiKey, people.member, {}, path(bot))).rejects.toMatchObject({
      message: 'No such bot',
    })
  })

  it('leaves it to people who are there', async () => {
    const bot = await make(people.member)
    const other = await make(people.member, { full_name: 'Second', short_name: 'second' })
    for (const id of [other.user_id, 999_999]) {
      await expect(
        room.call(updateBot, people.member, { bot_owner_id: String(id) }, path(bot)),
      ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
  })

  it('to a new key ends the old one', async () => {
    const bot = await make(people.member)
    await told()
    const { api_key } = await room.call(regenerateBotApiKey, people.member, {}, path(bot))
    expect(api_key).not.toBe(bot.api_key)
    const email = `helper-bot@${realm.subdomain}.chat.example`
    const outcome = async (key: string) =>
      (await room.ask(authenticate, { realm_id: realm.id, email, api_key: key })).outcome
    expect([await outcome(bot.api_key), await outcome(api_key)]).toEqual(['invalid', 'accepted'])
    expect((await told()).users).toEqual([expect.objectContaining({ id: bot.user_id, key_version: 2 })])
  })

  it('to nothing ends it, once', async () => {
    const bot = await make(people.member)
    await told()
    await room.call(deactivateBot, people.member, {}, path(bot))
    await room.call(deactivateBot, people.member, {}, path(bot))
    const { events, facts } = await told()
    expect(events.map(({ value }) => value.person)).toEqual([{ user_id: bot.user_id, is_active: false }])
    expect(facts).toEqual([expect.objectContaining({ is_active: false })])
    expect((await room.call(listBots, people.member)).bots).toEqual([])
  })
})

describe('a bot’s storage', () => {
  it('keeps texts, gives all or some of them back, and forgets', async () => {
    const bot = asBot(await make(people.member))
    const stranger = asBot(await make(people.member, { full_name: 'Second', short_name: 'second' }))
    await room.call(putBotStorage, bot, { storage: '{"a":"1","b":"2","__proto__":"3"}' })
    await room.call(putBotStorage, bot, { storage: '{"b":"4"}' })
    expect((await room.call(getBotStorage, bot, { keys: '["b"]' })).storage).toEqual({ b: '4' })
    expect(Object.keys((await room.call(getBotStorage, bot)).storage)).toContain('a')
    expect((await room.call(getBotStorage, stranger)).storage).toEqual({})
    const missing = { message: 'Key does not exist.' }
    await expect(room.call(getBotStorage, bot, { keys: '["a","c"]' })).rejects.toMatchObject(missing)
    await expect(room.call(deleteBotStorage, bot, { keys: '["a","c"]' })).rejects.toMatchObject(missing)
    expect(Object.keys((await room.call(getBotStorage, bot)).storage)).toContain('a')
    await room.call(deleteBotStorage, bot, { keys: '["a"]' })
    await room.call(deleteBotStorage, bot)
    expect((await room.call(getBotStorage, bot)).storage).toEqual({})
  })

  it('is bounded, and a refused request leaves it as it was', async () => {
    const bot = asBot(await make(people.member))
    await room.call(putBotStorage, bot, { storage: JSON.stringify({ a: 'x'.repeat(9_999_999) }) })
    await expect(room.call(putBotStorage, bot, { storage: '{"b":"1"}' })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
      message: 'Request exceeds storage limit by 2 characters. The limit is 10000000 characters.',
    })
    await room.call(putBotStorage, bot, { storage: JSON.stringify({ a: 'short' }) })
    expect((await room.call(getBotStorage, bot)).storage).toEqual({ a: 'short' })
  })
})
