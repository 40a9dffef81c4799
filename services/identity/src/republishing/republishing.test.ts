import { afterAll, beforeAll, expect, it } from 'vitest'
import { createUserGroup } from '../groups/create-user-group.ts'
import { updateSettings } from '../settings/update-settings.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { republish } from './republish.ts'

let room: TestRoom
let organization: TestOrganization
beforeAll(async () => {
  room = await openTestRoom()
  organization = await openTestOrganization(room)
})
afterAll(() => room.close())

it('publishes every state again as a newer version, and tells clients nothing', async () => {
  const { people, realm } = organization
  await openTestOrganization(room)
  await room.call(updateSettings, people.member, { enter_sends: 'true' })
  await room.call(createUserGroup, people.owner, { name: 'crew', description: '', members: '[]' })
  const before = await room.announced()
  const versionOf = (topic: string, id: number): number =>
    before.filter((one) => one.topic === topic && one.key === String(id)).at(-1)?.value.version ?? 0
  const expected = { realms: 1, users: 5, groups: 9, personal: 1 } as const
  for (const [kind, published] of Object.entries(expected)) {
    const input = { kind: kind as keyof typeof expected, realm: realm.subdomain, after_id: 0 }
    expect(await room.ask(republish, input)).toEqual({ published, last_id: null })
    const told = await room.announced()
    expect(told.map(({ topic }) => topic)).toEqual(Array(published).fill(`identity.${kind}`))
    for (const { topic, value } of told) {
      expect(value.realm_id ?? value.id).toBe(realm.id)
      expect(value.version).toBeGreaterThan(versionOf(topic, value.id))
    }
  }
  const all = await room.ask(republish, { kind: 'users', realm: null, after_id: people.owner.user.id })
  expect(all).toEqual({ published: 9, last_id: null })
})
