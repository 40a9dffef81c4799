import { refuse } from '@parley/contracts'
import type { StoredAvatar } from '@parley/contracts/objects/avatar'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { settlePictures } from '../images/settle-pictures.ts'
import { sweepObjects } from '../objects/sweep-objects.ts'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'

let room: TestRoom
let stranger: Person
let photo: Buffer

beforeAll(async () => {
  room = await openTestRoom()
  stranger = await room.stranger()
  photo = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#804020' } })
    .png()
    .toBuffer()
})
afterAll(() => room.close())

const prepare = async (bytes: Buffer) =>
  (await room.internal('prepare-avatar', { bytes: new Uint8Array(bytes) })) as StoredAvatar
const show = (user_id: number, picture: StoredAvatar) =>
  room.internal('show-avatar', { realm_id: room.realm.id, user_id, picture })
/** Pixels per side of what is shown for somebody; undefined when there is nothing. */
const shown = async (id: number, suffix = '') => {
  const answer = await stranger.fetch(`/user_avatars/${room.realm.id}/${id}${suffix}.png`)
  return answer.status === 200
    ? (await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width
    : undefined
}
const isThere = async ({ small, medium }: StoredAvatar) => {
  const facts = await Promise.all([small, medium].map((key) => room.store.facts(key)))
  return facts.map((object) => object !== undefined)
}
const later = (seconds: number) =>
  room.deps.database.sql`UPDATE loose_objects SET discard_at = discard_at - make_interval(secs => ${seconds})`
const sweep = () => sweepObjects(room.deps.database, room.store)

it('a picture is shown in both sizes once its account is known, and stays when it is the account’s', async () => {
  const bot = await room.person('member', { bot_type: 1, avatar_source: 'U' })
  const stored = await prepare(photo)
  await show(bot.id, stored)
  expect([await shown(bot.id), await shown(bot.id, '-medium')]).toEqual([100, 500])
  expect(await settlePictures(room.deps)).toBe(0)
  expect(await settlePictures(room.deps, 0)).toBe(2)
  expect(await settlePictures(room.deps, 0)).toBe(0)
  await later(1e6)
  await sweep()
  expect(await isThere(stored)).toEqual([true, true])
})

it('a picture whose account never came to be goes, with its bytes', async () => {
  const stored = await prepare(photo)
  await show(987_654, stored)
  expect(await shown(987_654)).toBe(100)
  await settlePictures(room.deps, 0)
  expect(await shown(987_654)).toBe(undefined)
  await sweep()
  expect(await isThere(stored)).toEqual([false, false])
})

it('a picture that identity did not take in goes, and the account has its generated one again', async () => {
  const ada = await room.person('member', { avatar_source: 'J' })
  room.answers['change-avatar'] = () => {
    throw refuse('BAD_REQUEST', 'No such user')
  }
  const sent = await ada.fetch('/api/v1/users/me/avatar', { method: 'POST', body: form(['a.png', photo]) })
  expect(sent.status).toBe(400)
  const before = await stranger.fetch(`/user_avatars/${room.realm.id}/${ada.id}.png`)
  await settlePictures(room.deps, 0)
  const after = await stranger.fetch(`/user_avatars/${room.realm.id}/${ada.id}.png`)
  expect(after.headers.get('etag')).toContain('generated')
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
})

it('a picture goes with the profile that it belonged to, and stays with one that was kept', async () => {
  const [kept, ended] = [
    await room.person('member', { avatar_source: 'U' }),
    await room.person('member', { avatar_source: 'U' }),
  ]
  for (const { id } of [kept, ended]) await show(id, await prepare(photo))
  await settlePictures(room.deps, 0)
  const facts = room.answers['find-users']!
  for (const { id: user_id } of [kept, ended]) {
    await room.internal('doubt-avatar', { realm_id: room.realm.id, user_id })
  }
  room.answers['find-users'] = (input: never) => {
    const { users } = facts(input) as { users: { id: number }[] }
    return { users: users.map((user) => (user.id === ended.id ? { ...user, avatar_source: 'G' } : user)) }
  }
  const etag = async ({ id }: Person) =>
    (await stranger.fetch(`/user_avatars/${room.realm.id}/${id}.png`)).headers.get('etag')
  const before = await etag(kept)
  await settlePictures(room.deps, 0)
  expect(await etag(kept)).toBe(before)
  expect(await etag(ended)).toContain('generated')
  room.answers['find-users'] = facts
})

it('a picture that is not shown goes', async () => {
  const stored = await prepare(photo)
  await sweep()
  expect(await isThere(stored)).toEqual([true, true])
  await later(700)
  await sweep()
  expect(await isThere(stored)).toEqual([false, false])
})

it('a picture moves with a transaction that ran again under another ID', async () => {
  const bot = await room.person('member', { bot_type: 1, avatar_source: 'U' })
  const stored = await prepare(photo)
  await show(987_655, stored)
  await show(bot.id, stored)
  await settlePictures(room.deps, 0)
  expect([await shown(987_655), await shown(bot.id, '-medium')]).toEqual([undefined, 500])
})

it('what is no picture is none here either', async () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('<svg/>'), photo.subarray(0, 60)]) {
    await expect(prepare(bytes)).rejects.toMatchObject({ error: 'BAD_IMAGE' })
  }
})
