import { type AnyInternal, EngineUnavailableError, type KnownCaller, refuse } from '@parley/contracts'
import { usersTopic } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../room.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { endUser } from '../users/end-user.ts'
import { listUsers } from '../users/list-users.ts'
import { createBot } from './create-bot.ts'
import { deactivateBot } from './deactivate-bot.ts'
import { updateBot } from './update-bot.ts'

const file = Buffer.from('a picture')
const picture = { small: 'images/s', medium: 'images/m' }

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
/** What uploads was asked, and what it answers. */
let asked: { name: string; input: unknown }[]
let answers: Record<string, () => unknown>

beforeAll(async () => {
  const ask = async ({ name }: AnyInternal, input: unknown) => {
    asked.push({ name, input })
    return answers[name]!()
  }
  room = await openTestRoom({ ask: ask as Deps['ask'] })
})
afterAll(() => room.close())
beforeEach(async () => {
  asked = []
  answers = { 'prepare-avatar': () => picture, 'show-avatar': () => ({}) }
  organization = await openTestOrganization(room)
  people = organization.people
})

const wishes = { full_name: 'Helper', short_name: 'helper' }
const make = (caller: KnownCaller, sent = {}, sentFile: Buffer | null = file) =>
  room.call(createBot, caller, { ...wishes, ...sent }, {}, sentFile ?? undefined)
const change = (caller: KnownCaller, bot: { user_id: number }, sent = {}, sentFile = file) =>
  room.call(updateBot, caller, sent, { bot_id: String(bot.user_id) }, sentFile)
const shown = (bot: { user_id: number }) => ({
  name: 'show-avatar',
  input: { realm_id: organization.realm.id, user_id: bot.user_id, picture },
})
const forms = (bot: { user_id: number }, version: number) => {
  const address = `/user_avatars/${organization.realm.id}/${bot.user_id}`
  return {
    avatar_url: `${address}.png?version=${version}`,
    avatar_url_medium: `${address}-medium.png?version=${version}`,
  }
}
const told = async () => {
  const all = await room.announced()
  return {
    people: all.filter(({ value }) => value?.type === 'realm_user').map(({ value }) => value),
    facts: all.filter(({ topic }) => topic === usersTopic.name).map(({ value }) => value),
  }
}
const userOf = async (bot: { user_id: number }) => {
  const sent = { user_ids: `[${bot.user_id}]`, client_gravatar: 'false' }
  return (await room.call(listUsers, people.member, sent)).members[0]!
}

describe('a picture that comes with a bot', () => {
  it('is its picture from the beginning, wherever it is told', async () => {
    const bot = await make(people.member)
    const { avatar_url } = forms(bot, 1)
    expect(bot.avatar_url).toBe(avatar_url)
    expect(asked).toEqual([{ name: 'prepare-avatar', input: { bytes: file } }, shown(bot)])
    const { people: events, facts } = await told()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ op: 'add', person: { avatar_url, avatar_version: 1 } })
    expect(facts).toEqual([expect.objectContaining({ avatar_source: 'U', avatar_version: 1 })])
    expect(await userOf(bot)).toMatchObject({ avatar_url, avatar_version: 1 })
  })

  it('that is none, or cannot be shown, leaves no bot and is told nobody', async () => {
    answers['prepare-avatar'] = () => {
      throw refuse('BAD_IMAGE', 'no image')
    }
    await expect(make(people.member)).rejects.toMatchObject({ error: 'BAD_IMAGE' })
    expect(asked).toHaveLength(1)
    answers['prepare-avatar'] = () => picture
    answers['show-avatar'] = () => {
      throw new EngineUnavailableError('uploads')
    }
    await expect(make(people.member)).rejects.toBeInstanceOf(EngineUnavailableError)
    expect(await room.announced()).toEqual([])
    answers['show-avatar'] = () => ({})
    expect((await make(people.member)).user_id).toBeGreaterThan(0)
  })

  it('is not looked at when the bot is not made anyway', async () => {
    const refused = { error: 'BAD_REQUEST' }
    await expect(make(people.guest)).rejects.toMatchObject(refused)
    await expect(make(people.member, { bot_type: '9' })).rejects.toMatchObject(refused)
    await expect(make(people.member, { short_name: '' })).rejects.toMatchObject(refused)
    expect(asked).toEqual([])
    await make(people.member, {}, null)
    expect(asked).toEqual([])
  })

  it('is shown for nobody when the name was taken meanwhile', async () => {
    await make(people.member, {}, null)
    await expect(make(people.member)).rejects.toMatchObject({ message: 'Name is already in use!' })
    expect(asked.map(({ name }) => name)).toEqual(['prepare-avatar'])
  })
})

describe('another picture of a bot', () => {
  it('is told as a person’s is, by its owner and by administrators, with what else changes', async () => {
    const bot = await make(people.member, {}, null)
    await room.announced()
    expect(await change(people.member, bot)).toEqual({})
    const first = await told()
    const person = { user_id: bot.user_id, avatar_source: 'U', avatar_version: 2, ...forms(bot, 2) }
    expect(first.people.map((event) => event.person)).toEqual([person])
    expect(first.facts).toEqual([expect.objectContaining({ avatar_source: 'U', avatar_version: 2 })])
    expect(asked.at(-1)).toEqual(shown(bot))

    await change(people.administrator, bot, { full_name: 'Servant' })
    expect((await told()).people.map((event) => event.person)).toEqual([
      { user_id: bot.user_id, full_name: 'Servant' },
      { ...person, avatar_version: 3, ...forms(bot, 3) },
    ])
    expect(await userOf(bot)).toMatchObject({ avatar_version: 3, avatar_url: forms(bot, 3).avatar_url })
  })

  it('is not for others, nor for what is no bot; uploads is asked nothing', async () => {
    const bot = await make(people.member, {}, null)
    const elsewhere = await openTestOrganization(room)
    asked = []
    await room.announced()
    const refused = { error: 'BAD_REQUEST', message: 'No such bot' }
    for (const caller of [people.guest, people.moderator, elsewhere.people.owner]) {
      await expect(change(caller, bot)).rejects.toMatchObject(refused)
    }
    await expect(change(people.owner, { user_id: people.guest.user.id })).rejects.toMatchObject(refused)
    expect(asked).toEqual([])
    expect(await room.announced()).toEqual([])
  })

  it('changes nothing when it is refused, with the rest of the request', async () => {
    const bot = await make(people.member)
    await room.announced()
    await expect(change(people.member, bot, { role: '200' })).rejects.toMatchObject({
      error: 'UNAUTHORIZED_PRINCIPAL',
    })
    answers['prepare-avatar'] = () => {
      throw refuse('BAD_IMAGE', 'no image')
    }
    await expect(change(people.member, bot, { full_name: 'Other' })).rejects.toMatchObject({
      error: 'BAD_IMAGE',
    })
    expect(await room.announced()).toEqual([])
    expect(await userOf(bot)).toMatchObject({ full_name: 'Helper', avatar_version: 1 })
  })

  it('goes with the profile of its owner, when that is deleted', async () => {
    const bot = await make(people.member)
    await make(people.member, { full_name: 'Plain', short_name: 'plain' }, null)
    asked = []
    answers['doubt-avatar'] = () => ({})
    const sent = { actions: '{"delete_profile":true}' }
    await room.call(endUser, people.owner, sent, { user_id: String(people.member.user.id) })
    const whose = { realm_id: organization.realm.id, user_id: bot.user_id }
    expect(asked).toEqual([{ name: 'doubt-avatar', input: whose }])
  })

  it('can be given to one that was ended', async () => {
    const bot = await make(people.member, {}, null)
    await room.call(deactivateBot, people.member, {}, { bot_id: String(bot.user_id) })
    await room.announced()
    await change(people.member, bot)
    expect((await told()).people).toHaveLength(1)
  })
})
