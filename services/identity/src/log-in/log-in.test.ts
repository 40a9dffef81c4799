import type { Caller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealm } from '../realms/create-realm.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createUser } from '../users/create-user.ts'
import { deactivateUser } from '../users/deactivate-user.ts'
import { devFetchApiKey } from './dev-fetch-api-key.ts'
import { devListUsers } from './dev-list-users.ts'
import { fetchApiKey } from './fetch-api-key.ts'

let room: TestRoom
let caller: Caller
let anna: { user_id: number; email: string; api_key: string }
const password = 'correct horse battery'

beforeAll(async () => {
  room = await openTestRoom()
  const { realm_id, subdomain, url } = await room.ask(createRealm, { subdomain: 'acme', name: 'Acme' })
  caller = { realm: { id: realm_id, subdomain, url }, user: null, client: 'test' }
  const person = { realm: subdomain, full_name: 'Some One', role: 400 as const, password }
  anna = await room.ask(createUser, { ...person, email: 'Anna@b.example' })
  await room.ask(createUser, { ...person, email: 'keyless@b.example', password: null })
  await room.ask(createUser, { ...person, email: 'gone@b.example' })
  await room.ask(deactivateUser, { realm: subdomain, email: 'gone@b.example' })
  await room.announced()
})
afterAll(() => room.close())

describe('logging in with a password', () => {
  it('gives the stored address and the key, whatever the case of the name, and changes nothing', async () => {
    const answer = await room.call(fetchApiKey, caller, { username: 'aNNa@B.example', password })
    expect(answer).toEqual({ api_key: anna.api_key, email: 'Anna@b.example', user_id: anna.user_id })
    expect(await room.announced()).toEqual([])
  })

  it.each([
    ['a wrong password', { username: 'Anna@b.example', password: 'wrong' }],
    ['an empty password', { username: 'Anna@b.example', password: '' }],
    ['an unknown name', { username: 'nobody@b.example', password }],
    ['an account without a password', { username: 'keyless@b.example', password: '' }],
    ['an ended account and a wrong password', { username: 'gone@b.example', password: 'wrong' }],
    ['the dummy address', { username: 'user1@acme.chat.example', password }],
  ])('answers %s with one and the same refusal', async (_case, sent) => {
    await expect(room.call(fetchApiKey, caller, sent)).rejects.toMatchObject({
      error: 'AUTHENTICATION_FAILED',
      message: 'Your username or password is incorrect',
    })
  })

  it('tells who knows the password that the account was ended', async () => {
    await expect(
      room.call(fetchApiKey, caller, { username: 'gone@b.example', password }),
    ).rejects.toMatchObject({ error: 'USER_DEACTIVATED' })
  })

  it("does not know another organization's accounts", async () => {
    const other = await room.ask(createRealm, { subdomain: 'other', name: 'Other' })
    const stranger = { ...caller, realm: { ...caller.realm, id: other.realm_id } }
    await expect(
      room.call(fetchApiKey, stranger, { username: 'Anna@b.example', password }),
    ).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
  })
})

describe('logging in without a password', () => {
  it('gives the key of an account in development mode, whatever the case of the name', async () => {
    const development = await openTestRoom({ isDevelopment: true })
    const { realm_id, subdomain, url } = await development.ask(createRealm, { subdomain: '', name: 'Root' })
    const there = { ...caller, realm: { id: realm_id, subdomain, url } }
    const person = { realm: '', full_name: 'Some One', role: 400 as const, password: null }
    const made = await development.ask(createUser, { ...person, email: 'Anna@b.example' })
    expect(await development.call(devFetchApiKey, there, { username: 'anna@B.example' })).toEqual(made)
    await expect(
      development.call(devFetchApiKey, there, { username: 'nobody@b.example' }),
    ).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
    await development.ask(createUser, { ...person, email: 'boss@b.example', role: 200 })
    const named = (email: string) => ({ email, realm_url: url, realm_uri: url })
    expect(await development.call(devListUsers, there)).toEqual({
      direct_admins: [named('boss@b.example')],
      direct_users: [named('Anna@b.example')],
    })
    await development.ask(deactivateUser, { realm: '', email: 'Anna@b.example' })
    expect((await development.call(devListUsers, there)).direct_users).toEqual([])
    await expect(
      development.call(devFetchApiKey, there, { username: 'Anna@b.example' }),
    ).rejects.toMatchObject({ error: 'USER_DEACTIVATED' })
    await development.close()
  })

  it('is refused outside of development mode, to known and unknown alike', async () => {
    await expect(room.call(devListUsers, caller)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    for (const username of ['Anna@b.example', 'nobody@b.example']) {
      await expect(room.call(devFetchApiKey, caller, { username })).rejects.toMatchObject({
        error: 'BAD_REQUEST',
        message: 'Logging in without a password is only possible in development mode.',
      })
    }
  })
})
