import { PersonalFact, personalTopic } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { addAlertWords } from './add-alert-words.ts'
import { findPersonal } from './find-personal.ts'
import { listAlertWords } from './list-alert-words.ts'
import { muteUser } from './mute-user.ts'
import { alertWordsSection, mutedUsersSection } from './personal-sections.ts'
import { removeAlertWords } from './remove-alert-words.ts'
import { unmuteUser } from './unmute-user.ts'

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  organization = await openTestOrganization(room)
  people = organization.people
})

/** What was told since the last time: the facts, and each event with whom it was for. */
const told = async () => {
  const all = await room.announced()
  return {
    facts: all
      .filter(({ topic }) => topic === personalTopic.name)
      .map(({ value }) => PersonalFact.parse(value)),
    events: all
      .filter(({ topic }) => topic === 'client-events')
      .map(({ audience, value }) => [audience.users, value]),
  }
}
const words = (...alert_words: string[]) => ({ alert_words: JSON.stringify(alert_words) })
const state = { client_gravatar: false } as never
const read = (handler: typeof alertWordsSection | typeof mutedUsersSection) =>
  handler.read({
    caller: people.member,
    options: state,
    sql: room.deps.database.sql,
    snapshot: state,
    deps: room.deps,
  } as never)

describe('alert words', () => {
  it('are told to their owner and to other services, each change with a higher version', async () => {
    const { member } = people
    expect(await room.call(addAlertWords, member, words(' Deploy ', 'red alert', 'deploy', ''))).toEqual({
      alert_words: ['deploy', 'red alert'],
    })
    const first = await told()
    expect(first.events).toEqual([
      [[member.user.id], { type: 'alert_words', alert_words: ['deploy', 'red alert'] }],
    ])
    expect(first.facts).toMatchObject([
      { id: member.user.id, realm_id: member.realm.id, alert_words: ['deploy', 'red alert'], settings: {} },
    ])
    expect(await room.call(addAlertWords, member, words('DEPLOY'))).toEqual({
      alert_words: ['deploy', 'red alert'],
    })
    expect(await told()).toEqual({ facts: [], events: [] })
    expect(await room.call(removeAlertWords, member, words('Red Alert', 'unknown'))).toEqual({
      alert_words: ['deploy'],
    })
    const [fact] = (await told()).facts
    expect(fact!.version).toBeGreaterThan(first.facts[0]!.version)
    expect(await room.call(listAlertWords, member)).toEqual({ alert_words: ['deploy'] })
    expect(await read(alertWordsSection)).toEqual({ alert_words: ['deploy'] })
    expect(await room.call(listAlertWords, people.owner)).toEqual({ alert_words: [] })
  })

  it('have bounds', async () => {
    await expect(
      room.call(addAlertWords, people.guest, words('🌴'.repeat(100), 'x'.repeat(101))),
    ).rejects.toMatchObject({
      error: 'BAD_REQUEST',
      message: 'alert_words[1] is too long (limit: 100 characters)',
    })
    const many = Array.from({ length: 1000 }, (_, index) => `word ${index}`)
    await room.call(addAlertWords, people.guest, words(...many))
    await expect(room.call(addAlertWords, people.guest, words('one more'))).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
  })

  it('that are added at once are all kept', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => room.call(addAlertWords, people.member, words(`w${index}`))),
    )
    const { alert_words } = await room.call(listAlertWords, people.member)
    expect(alert_words).toHaveLength(8)
    const versions = (await told()).facts.map(({ version }) => version)
    expect(new Set(versions).size).toBe(8)
  })
})

describe('muted users', () => {
  const muting = (id: number) => ({ muted_user_id: String(id) })

  it('are told to who muted them, and to other services', async () => {
    const { member, guest } = people
    await room.call(muteUser, member, {}, muting(guest.user.id))
    const { events, facts } = await told()
    const muted_users = [{ id: guest.user.id, timestamp: expect.any(Number) }]
    expect(events).toEqual([[[member.user.id], { type: 'muted_users', muted_users }]])
    expect(facts).toMatchObject([{ id: member.user.id, muted_user_ids: [guest.user.id] }])
    expect(await read(mutedUsersSection)).toEqual({ muted_users })
    await expect(room.call(muteUser, member, {}, muting(guest.user.id))).rejects.toMatchObject({
      message: 'User already muted',
    })
    expect(await told()).toEqual({ facts: [], events: [] })
    await room.call(unmuteUser, member, {}, muting(guest.user.id))
    expect(await told()).toMatchObject({
      events: [[[member.user.id], { muted_users: [] }]],
      facts: [{ muted_user_ids: [] }],
    })
    await expect(room.call(unmuteUser, member, {}, muting(guest.user.id))).rejects.toMatchObject({
      message: 'User is not muted',
    })
  })

  it('are others of the same organization', async () => {
    const stranger = (await openTestOrganization(room)).people.member
    await expect(room.call(muteUser, people.member, {}, muting(people.member.user.id))).rejects.toMatchObject(
      { message: 'Cannot mute self' },
    )
    for (const id of [stranger.user.id, 999_999]) {
      await expect(room.call(muteUser, people.member, {}, muting(id))).rejects.toMatchObject({
        message: 'No such user',
      })
      await expect(room.call(unmuteUser, people.member, {}, muting(id))).rejects.toMatchObject({
        message: 'No such user',
      })
    }
  })
})

it('other services may ask about anybody of one organization, also about who chose nothing', async () => {
  const { member, guest } = people
  await room.call(addAlertWords, member, words('news'))
  const stranger = (await openTestOrganization(room)).people.member
  const { personal } = await room.ask(findPersonal, {
    realm_id: member.realm.id,
    ids: [member.user.id, guest.user.id, stranger.user.id],
  })
  const nothing = { settings: {}, muted_user_ids: [] }
  expect(personal).toEqual(
    [
      { id: member.user.id, realm_id: member.realm.id, alert_words: ['news'], version: 2, ...nothing },
      { id: guest.user.id, realm_id: member.realm.id, alert_words: [], version: 0, ...nothing },
    ].sort((a, b) => a.id - b.id),
  )
})
