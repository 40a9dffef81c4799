import { groupsTopic, RealmFact, realmsTopic, systemGroupNames } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createRealm } from './create-realm.ts'
import { findRealm } from './find-realm.ts'
import { findRealmById } from './find-realm-by-id.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

describe('an organization', () => {
  it('is made with its system groups, and other services are told of both', async () => {
    const made = await room.ask(createRealm, { subdomain: ' Acme', name: ' Acme Ltd. ' })
    expect(made).toMatchObject({
      subdomain: 'acme',
      name: 'Acme Ltd.',
      url: 'http://acme.chat.example:9991',
    })
    const [fact, ...others] = await room.announced()
    expect(others.map(({ topic }) => topic)).toEqual(systemGroupNames.map(() => groupsTopic.name))
    expect(fact).toMatchObject({ topic: realmsTopic.name, key: String(made.realm_id), audience: null })
    const realm = RealmFact.parse(fact!.value)
    expect(realm).toMatchObject({ id: made.realm_id, subdomain: 'acme', is_active: true, version: 1 })
    expect(Object.keys(realm.system_groups).sort()).toEqual([...systemGroupNames].sort())
    expect(new Set(Object.values(realm.system_groups)).size).toBe(systemGroupNames.length)
    expect(await room.ask(findRealmById, { realm_id: made.realm_id })).toEqual({ realm })
  })

  it('is found by its subdomain in any case; the root by the empty one', async () => {
    const root = await room.ask(createRealm, { subdomain: '', name: 'Root' })
    const { realm } = await room.ask(findRealm, { subdomain: '' })
    expect(realm).toEqual({
      id: root.realm_id,
      subdomain: '',
      url: 'http://chat.example:9991',
      is_active: true,
      version: 1,
    })
    expect((await room.ask(findRealm, { subdomain: 'ACME' })).realm?.subdomain).toBe('acme')
    for (const subdomain of ['nobody', 'a\0b', "' OR 1=1 --"]) {
      expect(await room.ask(findRealm, { subdomain })).toEqual({ realm: null })
    }
    expect(await room.ask(findRealmById, { realm_id: 999_999 })).toEqual({ realm: null })
  })

  it('is one, however many ask for its subdomain at once', async () => {
    await room.announced()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => room.ask(createRealm, { subdomain: 'race', name: 'Race' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ error: 'BAD_REQUEST' })
    }
    expect(await room.announced()).toHaveLength(1 + systemGroupNames.length)
  })

  it.each([
    ['a.b', 'Name'],
    ['good', ''],
    ['good', 'x'.repeat(41)],
  ])('is not made at %j with the name %j', async (subdomain, name) => {
    await expect(room.ask(createRealm, { subdomain, name })).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  })
})
