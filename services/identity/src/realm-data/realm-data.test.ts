import { randomBytes } from 'node:crypto'
import { type BlobStore, createBucket, openBlobStore } from '@parley/blob'
import { realmLifecycleTopic } from '@parley/contracts/identity/realm-lifecycle'
import { purgers } from '@parley/contracts/realm-data'
import { tracesOf } from '@parley/kit/purge-holdings'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBot } from '../bots/create-bot.ts'
import { exportRealm } from '../exports/export-realm.ts'
import { createUserGroup } from '../groups/create-user-group.ts'
import { addAlertWords } from '../personal/add-alert-words.ts'
import { muteUser } from '../personal/mute-user.ts'
import { goOnWithPurge } from '../purges/go-on-with-purge.ts'
import { purgeStatus, reportPurge } from '../purges/manage-purges.ts'
import { claimPurges, purgeOfRealm } from '../purges/purge-store.ts'
import { beginPurge } from '../purges/watch-purges.ts'
import { endRealm, reactivateRealm } from '../realms/manage-realm-life.ts'
import { openTestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { holdings } from './holdings.ts'

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run through npm test`)
  return value
}

let room: TestRoom
let store: BlobStore
/** What other services say that they hold. */
let elsewhere: Record<string, number> = {}
beforeAll(async () => {
  const bucket = `identity-test-${randomBytes(6).toString('hex')}`
  const address = {
    endpoint: setting('S3_ENDPOINT'),
    accessKey: setting('S3_ACCESS_KEY'),
    secretKey: setting('S3_SECRET_KEY'),
    region: setting('S3_REGION'),
    bucket,
  }
  await createBucket({ ...address, name: bucket })
  store = await openBlobStore(address)
  room = await openTestRoom({
    store: async () => store,
    deletionBounds: { min: null, max: null },
    ask: (async ({ name }: { name: string }) =>
      name === 'realm-traces' ? { traces: elsewhere } : { finding: null }) as never,
  })
})
afterAll(() => room.close())

const furnished = async () => {
  const organization = await openTestOrganization(room)
  const { owner, member, administrator } = organization.people
  await room.call(createBot, owner, { full_name: `Bot ${owner.user.id}`, short_name: `bot${owner.user.id}` })
  await room.call(createUserGroup, owner, {
    name: 'crew',
    description: '',
    members: JSON.stringify([owner.user.id, member.user.id]),
  })
  await room.call(addAlertWords, member, { alert_words: '["word"]' })
  await room.call(muteUser, member, {}, { muted_user_id: String(administrator.user.id) })
  await room.call(exportRealm, administrator)
  await store.put(`exports/${organization.realm.id}/x.tar`, Buffer.from('x'), { contentType: 'x' })
  return organization
}
const tracesIn = (realmId: number) =>
  tracesOf({ database: room.deps.database, holdings, deps: room.deps }, realmId)
const report = (realm_id: number, service: string, is_done = true) =>
  reportPurge.handle({
    input: { realm_id, rows: 3, is_done },
    issuer: service,
    deps: room.deps,
  } as never)
const goOn = async () => {
  await room.deps.database.sql`UPDATE realm_purges SET due_at = now() WHERE finished_at IS NULL`
  for (const purge of await claimPurges(room.deps.database.sql, 10)) await goOnWithPurge(room.deps, purge)
}

it('an organization ends when all services have said so and hold nothing, and each fact of it is taken back', async () => {
  const [ending, staying] = [await furnished(), await furnished()]
  const { id, subdomain } = ending.realm
  const kept = await tracesIn(staying.realm.id)
  const people = await room.deps.database.sql<{ id: number }[]>`SELECT id FROM users WHERE realm_id = ${id}`
  await beginPurge(room.deps.database, id)
  expect(await purgeOfRealm(room.deps.database.sql, id)).toBeUndefined()
  await room.ask(endRealm, { realm: subdomain, deletion_delay_days: 0 })
  await room.announced()
  await Promise.all([beginPurge(room.deps.database, id), beginPurge(room.deps.database, id)])
  const told = (await room.announced()).filter(({ topic }) => topic === realmLifecycleTopic.name)
  expect(told.map(({ key, value }) => [key, value.realm_id])).toEqual([[String(id), id]])
  await expect(room.ask(reactivateRealm, { realm: subdomain })).rejects.toThrow('is being deleted')

  const others = purgers.filter((service) => service !== 'identity')
  for (const service of others.slice(1)) expect(await report(id, service)).toEqual({ goes_on: true })
  await report(id, others[0]!, false)
  await goOn()
  expect((await room.ask(purgeStatus, { realm: subdomain })).state).toBe('purging')
  await report(id, others[0]!)
  // Somebody was wrong: it is announced once more, and waited for.
  elsewhere = { messages: 2 }
  await goOn()
  expect((await room.announced()).filter(({ topic }) => topic === realmLifecycleTopic.name)).toHaveLength(1)
  elsewhere = {}
  await goOn()
  expect((await room.ask(purgeStatus, { realm: subdomain })).state).toBe('purging')
  for (const service of others) await report(id, service)
  await goOn()

  const { state, services } = await room.ask(purgeStatus, { realm: subdomain })
  expect([state, services.channels, services.identity!.is_done]).toEqual([
    'purged',
    { rows: expect.any(Number), is_done: true },
    true,
  ])
  expect(await tracesIn(id)).toEqual({})
  expect(await tracesIn(staying.realm.id)).toEqual(kept)
  const announced = await room.announced()
  const gone = (topic: string) =>
    announced.filter((row) => row.topic === topic && row.value === null).map(({ key }) => Number(key))
  const ids = people.map((one) => one.id)
  for (const topic of ['identity.users', 'identity.personal']) {
    expect(gone(topic).toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b))
  }
  expect(gone('identity.bots')).toHaveLength(1)
  expect(gone('identity.realms')).toEqual([id])
  expect(gone('realm.lifecycle')).toEqual([id])
  expect(await report(id, 'channels')).toEqual({ goes_on: false })
})
