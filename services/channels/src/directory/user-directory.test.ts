import { EngineUnavailableError, type KnownCaller } from '@parley/contracts'
import type { GroupFact, UserFact } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getMessage } from '../messages/get-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import type { Deps } from '../room.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { usersByIds } from './user-store.ts'

let room: TestRoom
let anna: KnownCaller
let known: UserFact
beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  known = (await room.deps.users.byIds(room.realm.id, [anna.user.id])).get(anna.user.id)!
})
afterAll(() => room.close())

/** What identity was asked. */
let asked: { full_names?: string[]; names?: string[] }[] = []

/** A process of the service whose identity has these accounts and groups. */
const withIdentity = (users: UserFact[], groups: GroupFact[] = []): Deps => {
  asked = []
  const ask = (async (question: { name: string }, input: (typeof asked)[number]) => {
    asked.push(input)
    return question.name === 'find-groups' ? { groups } : { users, attachments: [], files: [] }
  }) as unknown as Deps['ask']
  return testDeps(room.deps.database, ask)
}
const rendered = async (deps: Deps, content: string): Promise<string> => {
  const { id } = await room.call(sendMessage, anna, { type: 'direct', to: [anna.user.id], content }, deps)
  return (await room.call(getMessage, anna, { message_id: id }, deps)).message.content
}

it('knows who is mentioned by name although the news of the account has not come, and keeps the account', async () => {
  const newcomer = { ...known, id: 5001, email: 'n@acme.example', full_name: 'New Comer' }
  const deps = withIdentity([newcomer])
  expect(await rendered(deps, 'Hi @**new comer**')).toContain('data-user-id="5001"')
  expect(asked.map((one) => one.full_names)).toEqual([['new comer']])
  expect(await rendered(deps, 'Again @**New Comer** and @**New Comer|5001**')).toContain(
    'data-user-id="5001"',
  )
  expect(asked).toHaveLength(1)
})

it('asks for no names that are known, nor for those that come with an ID', async () => {
  const deps = withIdentity([])
  await rendered(
    deps,
    `@**${known.full_name}** @**${known.full_name}|${known.id}** @**all** @**Old Name|${known.id}**`,
  )
  expect(asked).toEqual([])
})

it('goes on without names while identity is away', async () => {
  const deps = testDeps(room.deps.database, async () => {
    throw new EngineUnavailableError('identity')
  })
  const html = '<p>@<strong>Nobody Here</strong> @<em>nothing</em></p>'
  expect(await rendered(deps, '@**Nobody Here** @*nothing*')).toBe(html)
})

it('leaves what became of a known account to the fact that tells of it', async () => {
  const renamed = { ...known, full_name: 'Renamed', role: 600 as const, version: known.version + 1 }
  expect(await rendered(withIdentity([renamed]), '@**Renamed**')).toContain(`data-user-id="${known.id}"`)
  const [kept] = await usersByIds(room.deps.database.sql, room.realm.id, [known.id])
  expect(kept).toMatchObject({ full_name: known.full_name, version: known.version })
})

it('knows which group is mentioned although the news of it has not come, and who is in it', async () => {
  const group: GroupFact = {
    ...{ id: 901, realm_id: room.realm.id, name: 'fresh', is_system_group: false, is_active: true },
    ...{ member_ids: [anna.user.id], subgroup_ids: [], version: 1 },
    can_mention_group: room.realm.system_groups['role:everyone'],
  }
  const deps = withIdentity([], [group])
  expect(await rendered(deps, 'Hi @*Fresh*')).toContain('data-user-group-id="901"')
  expect(asked.map((one) => one.names)).toEqual([['Fresh']])
  expect(await rendered(deps, '@*fresh*')).toContain('data-user-group-id="901"')
  expect(asked).toHaveLength(1)
})
