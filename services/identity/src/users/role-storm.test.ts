import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { endUser } from './end-user.ts'
import { listUsers } from './list-users.ts'
import { reactivateUser } from './reactivate-user.ts'
import { updateUser } from './update-user.ts'

let room: TestRoom
let organization: TestOrganization
beforeAll(async () => {
  room = await openTestRoom()
  organization = await openTestOrganization(room)
})
afterAll(() => room.close())

/** The same numbers in every run. */
const numbers = (seed: number) => (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}

it('a storm of role changes and endings leaves an owner, and announcements that add up to what is true', async () => {
  const owners = [organization.people.owner]
  for (const name of ['o2', 'o3', 'o4']) owners.push(await organization.person(name, 'owner'))
  const people = [...owners, organization.people.administrator, organization.people.member]
  await room.announced()
  const random = numbers(509)
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!
  const outcomes = { done: 0, refused: 0 }
  const attempt = async (): Promise<void> => {
    const [actor, target] = [pick(owners), pick(people)]
    const path = { user_id: String(target.user.id) }
    const what = random()
    try {
      if (what < 0.6)
        await room.call(updateUser, actor, { role: String(pick([100, 200, 300, 400, 600])) }, path)
      else if (what < 0.8) await room.call(endUser, actor, {}, path)
      else await room.call(reactivateUser, actor, {}, path)
      outcomes.done += 1
    } catch (error) {
      expect((error as { status: number }).status).toBe(400)
      outcomes.refused += 1
    }
  }
  const storm = async (): Promise<void> => {
    for (let round = 0; round < 15; round += 1) await attempt()
  }
  await Promise.all(Array.from({ length: 8 }, storm))
  expect(outcomes.done).toBeGreaterThan(5)

  const anybody: KnownCaller = organization.people.moderator
  const { members } = await room.call(listUsers, anybody)
  expect(members.filter(({ is_owner, is_active }) => is_owner && is_active).length).toBeGreaterThan(0)
  const announced = await room.announced()
  for (const member of members) {
    const forms = announced.flatMap(({ value }) =>
      value.type === 'realm_user' && value.person.user_id === member.user_id ? [value.person] : [],
    )
    const last = (name: string) => forms.findLast((form) => name in form)?.[name]
    expect(last('role') ?? member.role).toBe(member.role)
    expect(last('is_active') ?? member.is_active).toBe(member.is_active)
    const facts = announced.flatMap(({ topic, value }) =>
      topic === 'identity.users' && value.id === member.user_id ? [value] : [],
    )
    expect(facts.map(({ version }) => version)).toEqual(
      facts.map(({ version }) => version).sort((one, other) => one - other),
    )
    if (facts.length > 0)
      expect(facts.at(-1)).toMatchObject({ role: member.role, is_active: member.is_active })
  }
})
