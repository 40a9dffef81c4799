import { randomUUID } from 'node:crypto'
import { roles } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRealm } from '../realms/find-realm.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { foundRealm } from './found-realm.ts'
import { judgeFounding } from './judge-founding.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

const founder = { email: 'ada@example.org', full_name: ' Ada ', password_hash: '$argon2id$test' }
const found = (subdomain: string, name: string = randomUUID(), changes: object = {}) =>
  room.ask(foundRealm, { name, subdomain, realm_name: 'Acme', founder: { ...founder, ...changes } })
const realmCount = async () =>
  (await room.deps.database.sql<{ count: number }[]>`SELECT count(*)::int AS count FROM realms`)[0]!.count

it('an organization is founded with its owner, once per name, however often and at once it is asked for', async () => {
  const name = randomUUID()
  const made = await Promise.all(Array.from({ length: 10 }, () => found('Acme', name)))
  expect(new Set(made.map(({ realm_id, user_id }) => `${realm_id} ${user_id}`)).size).toBe(1)
  expect(made[0]!.url).toBe('http://acme.chat.example:9991')
  const accounts = await room.deps.database.sql`
    SELECT role, full_name, delivery_email, password_hash FROM users WHERE realm_id = ${made[0]!.realm_id}`
  expect(accounts).toEqual([
    {
      role: roles.owner,
      full_name: 'Ada',
      delivery_email: founder.email,
      password_hash: founder.password_hash,
    },
  ])
})

it('two who want the same subdomain make one organization; without an owner there is none', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => found('race')))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ error: 'BAD_REQUEST' })
  }
  const before = await realmCount()
  await expect(found('half', randomUUID(), { full_name: '' })).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  expect(await realmCount()).toBe(before)
  expect((await room.ask(findRealm, { subdomain: 'half' })).realm).toBeNull()
})

it('what could not be founded is said beforehand', async () => {
  const judge = (changes: object) =>
    room.ask(judgeFounding, { subdomain: 'free', realm_name: 'Free', founder: null, ...changes })
  expect(await judge({ subdomain: ' FREE ' })).toEqual({
    subdomain: 'free',
    realm_name: 'Free',
    password_hash: null,
  })
  const password = 'umbrella giraffe tangent 9'
  const person = { email: 'ada@example.org', full_name: 'Ada', password }
  expect((await judge({ founder: person })).password_hash).toMatch(/^\$argon2id\$/)
  for (const wrong of [
    { subdomain: 'a.b' },
    { subdomain: '-a' },
    { subdomain: 'acme' },
    { realm_name: ' ' },
    { realm_name: 'x'.repeat(41) },
    { founder: { ...person, password: 'password1' } },
    { founder: { ...person, password: 'short' } },
    { founder: { ...person, password: 'Free organization free', full_name: '@ada' } },
    { founder: { ...person, email: 'nobody' } },
  ]) {
    await expect(judge(wrong)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  }
})
