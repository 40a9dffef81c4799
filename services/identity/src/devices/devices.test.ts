import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { regenerateOwnApiKey } from '../keys/regenerate-own-api-key.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { addApnsToken } from './add-apns-token.ts'
import { addGcmToken } from './add-gcm-token.ts'
import { deviceSection } from './device-section.ts'
import { registerClientDevice } from './register-client-device.ts'
import { registerPushDevice } from './register-push-device.ts'
import { removeApnsToken } from './remove-apns-token.ts'
import { removeClientDevice } from './remove-client-device.ts'
import { removeGcmToken } from './remove-gcm-token.ts'

let room: TestRoom
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  people = (await openTestOrganization(room)).people
})

const told = async () =>
  (await room.announced())
    .filter(({ topic }) => topic === 'client-events')
    .map(({ audience, value }) => [audience.users, value])
const state = async (caller = people.member) =>
  (await deviceSection.read({ caller, sql: room.deps.database.sql } as never)).devices
const idOf = (token: string | Buffer) =>
  createHash('sha256').update(token).digest().subarray(0, 8).toString('base64')
const key = {
  push_key_id: '7',
  push_key: Buffer.concat([Buffer.of(0x31), randomBytes(32)]).toString('base64'),
}
const address = (token: string) => ({
  token_kind: 'fcm',
  token_id: idOf(token),
  bouncer_public_key: 'k',
  encrypted_push_registration: 'e',
})
const register = (device_id: number, sent: object, caller = people.member) =>
  room.call(registerPushDevice, caller, { device_id: String(device_id), ...sent } as Record<string, string>)

describe('devices', () => {
  it('are told to their owner, registered with key and address, changed by either, and forgotten', async () => {
    const { member } = people
    const users = [member.user.id]
    const { device_id } = await room.call(registerClientDevice, member)
    expect(await told()).toEqual([[users, { type: 'device', op: 'add', device_id }]])
    await register(device_id, { ...key, ...address('one') })
    const push_token_last_updated_timestamp = expect.any(Number)
    const update = { type: 'device', op: 'update', device_id }
    expect(await told()).toEqual([
      [
        users,
        {
          ...update,
          push_key_id: 7,
          pending_push_token_id: idOf('one'),
          push_token_last_updated_timestamp,
        },
      ],
    ])
    await register(device_id, { ...key, push_key_id: '8' })
    await register(device_id, address('two'))
    await register(device_id, address('two'))
    expect(await told()).toEqual([
      [users, { ...update, push_key_id: 8 }],
      [users, { ...update, pending_push_token_id: idOf('two'), push_token_last_updated_timestamp }],
    ])
    expect(await state()).toEqual({
      [device_id]: {
        push_key_id: 8,
        push_token_id: null,
        pending_push_token_id: idOf('two'),
        push_token_last_updated_timestamp,
      },
    })
    expect(await state(people.guest)).toEqual({})
    await room.call(regenerateOwnApiKey, member)
    const none = { push_key_id: null, push_token_id: null, pending_push_token_id: null }
    const cleared = { ...none, push_token_last_updated_timestamp: null }
    expect(await told()).toEqual([[users, { ...update, ...cleared }]])
    expect(await state()).toEqual({ [device_id]: cleared })
    await room.call(removeClientDevice, member, { device_id: String(device_id) })
    expect(await told()).toEqual([[users, { type: 'device', op: 'remove', device_id }]])
    expect(await state()).toEqual({})
  })

  it('are registered whole, and by their owner', async () => {
    const { device_id } = await room.call(registerClientDevice, people.member)
    await told()
    const whole = { ...key, ...address('one') }
    for (const sent of [
      {},
      key,
      address('one'),
      { ...whole, push_key: undefined },
      { ...whole, token_id: undefined },
      { ...whole, token_id: 'c2hvcnQ=' },
      { ...whole, push_key: randomBytes(33).fill(1).toString('base64') },
      { ...whole, push_key: randomBytes(16).toString('base64') },
      { ...whole, push_key_id: '4294967296' },
      { ...whole, token_kind: 'mpns' },
    ]) {
      const present = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
      await expect(register(device_id, present), JSON.stringify(sent)).rejects.toMatchObject({
        error: 'BAD_REQUEST',
      })
    }
    for (const caller of [people.owner, (await openTestOrganization(room)).people.member]) {
      await expect(register(device_id, whole, caller)).rejects.toMatchObject({
        message: 'Invalid `device_id`',
      })
      await expect(
        room.call(removeClientDevice, caller, { device_id: String(device_id) }),
      ).rejects.toMatchObject({ message: 'Invalid `device_id`' })
    }
    expect(await told()).toEqual([])
  })
})

describe('addresses given by the older way', () => {
  it('are kept once, and removed by who gave them', async () => {
    const { member, guest } = people
    for (const token of ['abcd', 'abcd']) {
      await room.call(addGcmToken, member, { token })
      await room.call(addApnsToken, member, { token, appid: 'app' })
    }
    for (const remove of [removeGcmToken, removeApnsToken]) {
      await expect(room.call(remove, guest, { token: 'abcd' })).rejects.toMatchObject({
        message: 'Token does not exist',
      })
      await room.call(remove, member, { token: 'abcd' })
      await expect(room.call(remove, member, { token: 'abcd' })).rejects.toMatchObject({
        message: 'Token does not exist',
      })
      for (const token of ['', 'x'.repeat(4097)]) {
        await expect(room.call(remove, member, { token })).rejects.toMatchObject({
          message: 'Empty or invalid length token',
        })
      }
    }
    await expect(room.call(addApnsToken, member, { token: 'no hex', appid: 'app' })).rejects.toMatchObject({
      message: 'Invalid APNS token',
    })
  })

  it('are replaced by a registration of the same address', async () => {
    const { member } = people
    const { device_id } = await room.call(registerClientDevice, member)
    for (const token of ['one', 'other']) await room.call(addGcmToken, member, { token })
    await room.call(addApnsToken, member, { token: 'beef', appid: 'app' })
    await register(device_id, { ...key, ...address('one') })
    await expect(room.call(removeGcmToken, member, { token: 'one' })).rejects.toMatchObject({
      message: 'Token does not exist',
    })
    await room.call(removeGcmToken, member, { token: 'other' })
    const apns = { ...address(''), token_kind: 'apns', token_id: idOf(Buffer.from('beef', 'hex')) }
    await register(device_id, apns)
    await expect(room.call(removeApnsToken, member, { token: 'beef' })).rejects.toMatchObject({
      message: 'Token does not exist',
    })
  })
})
