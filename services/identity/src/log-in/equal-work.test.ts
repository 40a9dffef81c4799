import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPasswords } from '../passwords/passwords.ts'
import { openTestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createUser } from '../users/create-user.ts'
import { deactivateUser } from '../users/deactivate-user.ts'
import { fetchApiKey } from './fetch-api-key.ts'

let room: TestRoom
/** Passwords that were compared with something stored, or with nobody's. */
let compared = 0
beforeAll(async () => {
  const passwords = await openPasswords(1)
  room = await openTestRoom({
    passwords: {
      ...passwords,
      fits: (password, stored) => {
        compared += 1
        return passwords.fits(password, stored)
      },
    },
  })
})
afterAll(() => room.close())

it('a log-in takes the same work, and answers the same, whoever it is about', async () => {
  const organization = await openTestOrganization(room)
  const realm = organization.realm.subdomain
  const wish = { realm, full_name: 'P', role: 400 as const, password: 'the right one' }
  for (const email of ['known@b.example', 'gone@b.example']) await room.ask(createUser, { ...wish, email })
  await room.ask(deactivateUser, { realm, email: 'gone@b.example' })
  // Nobody, somebody with a password, one without, one who was ended.
  const names = ['nobody@b.example', 'known@b.example', 'member@b.example', 'gone@b.example']
  const caller = { ...organization.people.member, user: null }
  const times = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = 0; round < 15; round += 1) {
    for (const username of names) {
      compared = 0
      const start = performance.now()
      const refusal = await room.call(fetchApiKey, caller, { username, password: 'a guess' }).then(
        () => undefined,
        (error: unknown) => error,
      )
      times.get(username)!.push(performance.now() - start)
      expect(refusal).toMatchObject({
        error: 'AUTHENTICATION_FAILED',
        message: 'Your username or password is incorrect',
      })
      expect(compared).toBe(1)
    }
  }
  const medians = [...times.values()].map((all) => all.sort((one, other) => one - other)[7]!)
  expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(2.5)
})
