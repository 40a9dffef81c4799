import { type AnyInternal, EngineUnavailableError, refuse } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Deps } from '../room.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { getOwnUser } from './get-own-user.ts'

let room: TestRoom
let people: TestOrganization['people']
let answer: () => Promise<{ max_message_id: number }>

beforeAll(async () => {
  const ask = ({ name }: AnyInternal) => {
    if (name !== 'newest-message') throw new Error(`nobody answers ${name} here`)
    return answer()
  }
  room = await openTestRoom({ ask: ask as Deps['ask'] })
  people = (await openTestOrganization(room)).people
})
afterAll(() => room.close())

it('who one is is told with the newest message, and without it when channels is away or stands still', async () => {
  answer = async () => ({ max_message_id: 77 })
  const own = await room.call(getOwnUser, people.member)
  expect(own).toMatchObject({ user_id: people.member.user.id, max_message_id: 77 })
  answer = async () => {
    throw new EngineUnavailableError('channels')
  }
  expect(await room.call(getOwnUser, people.member)).toEqual({ ...own, max_message_id: -1 })
  answer = () => new Promise(() => {})
  const began = Date.now()
  expect(await room.call(getOwnUser, people.member)).toEqual({ ...own, max_message_id: -1 })
  expect(Date.now() - began).toBeLessThan(5000)
})

it('what is wrong with the question is not hidden', async () => {
  answer = async () => {
    throw refuse('BAD_REQUEST', 'Only accounts have messages.')
  }
  await expect(room.call(getOwnUser, people.member)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
})
