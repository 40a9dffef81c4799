import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type BlobStore, createBucket, openBlobStore } from '@parley/blob'
import type { KnownCaller } from '@parley/contracts'
import { type ArchiveScope, dataHolders } from '@parley/contracts/realm-data'
import { readHoldings } from '@parley/kit/read-holdings'
import { TarReader, tarHeader, tarPadding } from '@parley/kit/tar'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { holdings } from '../realm-data/holdings.ts'
import { updateSettings } from '../settings/update-settings.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import type { ReadPart } from './archive.ts'
import { exportRealm } from './export-realm.ts'
import { claimExports } from './export-store.ts'
import { listExportConsents } from './list-export-consents.ts'
import { listRealmExports } from './list-realm-exports.ts'
import { makeExport } from './make-export.ts'
import { setContentAccess } from './manage-exports.ts'
import { removeRealmExport } from './remove-realm-export.ts'

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run through npm test`)
  return value
}

let room: TestRoom
let store: BlobStore
let organization: TestOrganization
let people: TestOrganization['people']
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
  room = await openTestRoom({ store: async () => store })
})
afterAll(() => room.close())
beforeEach(async () => {
  organization = await openTestOrganization(room)
  people = organization.people
})

const entry = (name: string, text: string) => {
  const content = Buffer.from(text)
  return Buffer.concat([tarHeader(name, content.length), content, tarPadding(content.length)])
}

/** The other services hold nothing here. */
const parts =
  (broken?: string): ReadPart =>
  async (service, realmId, scope) => {
    if (service === 'identity') {
      return readHoldings({ database: room.deps.database, holdings, deps: room.deps }, realmId, scope)
    }
    const summary = { service, rows: {}, files: 0, bytes: 0, ids: {} }
    if (service === broken) return Readable.from([entry(`${service}/x/000001.jsonl`, '{}\n')])
    return Readable.from([entry(`${service}/part.json`, JSON.stringify(summary))])
  }

const partsWith = (read: ReadPart) => {
  const { database, store, publicUrl, exportLinks, log, leaving } = room.deps
  return { database, store, publicUrl, exportLinks, log, leaving, read }
}

/** Makes what is to be made, as one process would. */
const work = async (read = parts()): Promise<void> => {
  for (const claimed of await claimExports(room.deps.database.sql, 10)) {
    await makeExport(partsWith(read), claimed)
  }
}

const entriesOf = async (archive: Buffer): Promise<Map<string, string>> => {
  const entries = new Map<string, string>()
  const reader = new TarReader({
    wants: () => true,
    onEntry: ({ name }, _sum, content) => void entries.set(name, content!.toString()),
  })
  await reader.take(archive)
  reader.end()
  return entries
}

const archiveOf = async (realmId: number, scope: Partial<ArchiveScope> = {}) => {
  const asked = { export_type: 'public', consenting: [], ...scope } as ArchiveScope
  const source = readHoldings({ database: room.deps.database, holdings, deps: room.deps }, realmId, asked)
  return entriesOf(Buffer.concat(await Array.fromAsync(source)))
}

const eventsOf = async (type: string) =>
  (await room.announced())
    .filter(({ topic, value }) => topic === 'client-events' && value.type === type)
    .map(({ audience, value }) => ({ users: audience.users as number[], value }))

const list = async (caller: KnownCaller) => (await room.call(listRealmExports, caller)).exports

describe('an export', () => {
  it('is made once, told to each administrator with an address of their own, and deleted', async () => {
    const { owner, administrator, member } = people
    await room.announced()
    const { id } = await room.call(exportRealm, administrator)
    expect(await list(administrator)).toEqual([
      expect.objectContaining({
        id,
        acting_user_id: administrator.user.id,
        pending: true,
        export_type: 'public',
        export_url: null,
        deleted_timestamp: null,
        failed_timestamp: null,
        export_from_prior_server: false,
      }),
    ])
    await expect(
      room.call(removeRealmExport, administrator, {}, { export_id: String(id) }),
    ).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
    const begun = await eventsOf('realm_export')
    expect(begun.flatMap(({ users }) => users).sort()).toEqual([owner.user.id, administrator.user.id].sort())
    await work()
    const told = await eventsOf('realm_export')
    const urls = told.map(({ value }) => value.exports.at(-1).export_url as string)
    expect(new Set(urls).size).toBe(told.length)
    expect(told.flatMap(({ users }) => users)).not.toContain(member.user.id)
    const keys = await Array.fromAsync(store.list(`exports/${organization.realm.id}/`))
    expect(keys).toHaveLength(1)
    const entries = await entriesOf(await buffer((await store.get(keys[0]!))!))
    const manifest = JSON.parse(entries.get('manifest.json')!)
    expect(manifest.parts.map(({ service }: { service: string }) => service)).toEqual([...dataHolders])
    expect(manifest.entries).toBe(entries.size - 1)
    await room.call(removeRealmExport, owner, {}, { export_id: String(id) })
    expect(await Array.fromAsync(store.list(`exports/${organization.realm.id}/`))).toEqual([])
    const [gone] = await list(owner)
    expect([gone!.export_url, gone!.pending, typeof gone!.deleted_timestamp]).toEqual([null, false, 'number'])
    await expect(room.call(removeRealmExport, owner, {}, { export_id: String(id) })).rejects.toThrow(
      'Export already deleted',
    )
  })

  it('is told with all others, however many are deleted at once', async () => {
    const { owner, administrator } = people
    for (let n = 0; n < 5; n += 1) await room.call(exportRealm, administrator)
    await work()
    await room.announced()
    const ids = (await list(owner)).map(({ id }) => String(id))
    expect(ids).toHaveLength(5)
    await Promise.all(ids.map((export_id) => room.call(removeRealmExport, owner, {}, { export_id })))
    const told = (await eventsOf('realm_export')).filter(({ users }) => users.includes(owner.user.id))
    expect(told).toHaveLength(5)
    expect(told.at(-1)!.value.exports).toEqual(await list(owner))
  })

  it('that breaks off is made again, whoever was at work; after too many attempts it has failed', async () => {
    const { owner } = people
    const { id } = await room.call(exportRealm, owner)
    await work(parts('uploads'))
    expect((await list(owner))[0]).toMatchObject({ id, pending: true, failed_timestamp: null })
    const { sql } = room.deps.database
    await sql`UPDATE realm_exports SET due_at = now() WHERE id = ${id}`
    // One that dies with it, and one that takes over; then the dead one wakes up.
    const [dead] = await claimExports(sql, 1)
    await sql`UPDATE realm_exports SET due_at = now() WHERE id = ${id}`
    await work()
    await makeExport(partsWith(parts()), dead!)
    expect((await list(owner))[0]).toMatchObject({ id, pending: false })
    expect(await Array.fromAsync(store.list(`exports/${organization.realm.id}/`))).toHaveLength(1)

    const second = await room.call(exportRealm, owner)
    await sql`UPDATE realm_exports SET attempts = 7 WHERE id = ${second.id}`
    await work(parts('channels'))
    const failed = (await list(owner)).at(-1)!
    expect([failed.pending, typeof failed.failed_timestamp, failed.export_url]).toEqual([
      false,
      'number',
      null,
    ])
    await expect(room.call(removeRealmExport, owner, {}, { export_id: String(second.id) })).rejects.toThrow(
      'Export failed, nothing to delete',
    )
  })

  it('is asked for five times a week, and of everything by owners only, where operators allow it', async () => {
    const { owner, administrator, member } = people
    const everything = { export_type: 'full_without_consent' }
    await expect(room.call(exportRealm, administrator, everything)).rejects.toMatchObject({
      error: 'UNAUTHORIZED_PRINCIPAL',
    })
    await expect(room.call(exportRealm, owner, everything)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await room.ask(setContentAccess, { realm: organization.realm.subdomain, is_given: true })
    const { id } = await room.call(exportRealm, owner, everything)
    await work()
    const seen = async (caller: KnownCaller) => (await list(caller)).find((one) => one.id === id)!.export_url
    expect([typeof (await seen(owner)), await seen(administrator)]).toEqual(['string', null])
    for (let n = 1; n < 5; n += 1) await room.call(exportRealm, owner, { export_type: 'full_with_consent' })
    await expect(room.call(exportRealm, owner)).rejects.toThrow('Exceeded rate limit.')
    await expect(room.call(exportRealm, member)).rejects.toMatchObject({ error: 'UNAUTHORIZED_PRINCIPAL' })
    for (const wrong of ['1', 'private', '']) {
      await expect(room.call(exportRealm, owner, { export_type: wrong })).rejects.toBeDefined()
    }
  })

  it('of another organization is none', async () => {
    const { id } = await room.call(exportRealm, people.owner)
    await work()
    const other = await openTestOrganization(room)
    expect(await list(other.people.owner)).toEqual([])
    await expect(
      room.call(removeRealmExport, other.people.owner, {}, { export_id: String(id) }),
    ).rejects.toThrow('Invalid data export ID')
  })
})

describe('what an archive has', () => {
  it('no secret, of nobody; addresses and choices as far as administrators see them, or their owners agreed', async () => {
    const { owner, member } = people
    const { sql } = room.deps.database
    const realmId = organization.realm.id
    await sql`
      UPDATE users SET email_address_visibility = 4, email = 'user' || id || '@hidden.example',
        delivery_email = 'nobody.sees@this.example', password_hash = 'hash-of-a-password'
      WHERE id = ${member.user.id}`
    await sql`
      INSERT INTO personal (user_id, alert_words) VALUES (${member.user.id}, '{secret-alert-word}')
      ON CONFLICT (user_id) DO UPDATE SET alert_words = excluded.alert_words`
    const secrets = (
      await sql<{ hash: string; sealed: string }[]>`
      SELECT encode(api_key_hash, 'hex') AS hash, encode(api_key_encrypted, 'hex') AS sealed
      FROM users WHERE realm_id = ${realmId}`
    ).flatMap(({ hash, sealed }) => [hash, sealed])
    const text = async (scope?: Partial<ArchiveScope>) =>
      [...(await archiveOf(realmId, scope)).values()].join('\n')
    const everything = await text({ export_type: 'full_without_consent' })
    for (const secret of [...secrets, 'hash-of-a-password']) expect(everything).not.toContain(secret)
    expect(everything).toContain('nobody.sees@this.example')
    expect(everything).toContain('secret-alert-word')
    for (const scope of [
      { export_type: 'public' },
      { export_type: 'full_with_consent', consenting: [owner.user.id] },
    ] satisfies Partial<ArchiveScope>[]) {
      const less = await text(scope)
      expect(less).not.toContain('nobody.sees@this.example')
      expect(less).not.toContain('secret-alert-word')
    }
    const agreed = await text({ export_type: 'full_with_consent', consenting: [member.user.id] })
    expect(agreed).toContain('secret-alert-word')
  })

  it('nothing of another organization', async () => {
    const other = await openTestOrganization(room)
    const entries = await archiveOf(organization.realm.id, { export_type: 'full_without_consent' })
    const users = [...entries].filter(([name]) => name.startsWith('identity/users/'))
    const ids = users.flatMap(([, text]) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    )
    expect(ids).toContain(people.owner.user.id)
    for (const { user } of Object.values(other.people)) expect(ids).not.toContain(user.id)
  })
})

describe('who agrees', () => {
  it('is told to administrators, in a list and as it changes', async () => {
    const { owner, administrator, member } = people
    await room.announced()
    await room.call(updateSettings, member, { allow_private_data_export: 'true' })
    const [told] = await eventsOf('realm_export_consent')
    expect(told!.value).toEqual({ type: 'realm_export_consent', user_id: member.user.id, consented: true })
    expect([...told!.users].sort()).toEqual([owner.user.id, administrator.user.id].sort())
    const { export_consents } = await room.call(listExportConsents, administrator)
    const agreed = export_consents.filter(({ consented }) => consented)
    expect(agreed).toEqual([{ user_id: member.user.id, consented: true, email_address_visibility: 1 }])
    expect(export_consents.map(({ user_id }) => user_id)).toContain(owner.user.id)
    await room.call(updateSettings, member, { allow_private_data_export: 'true' })
    expect(await eventsOf('realm_export_consent')).toEqual([])
  })
})

it('a claim is of one process only', async () => {
  await room.call(exportRealm, people.owner)
  const { sql } = room.deps.database
  const claims = await Promise.all([claimExports(sql, 10), claimExports(sql, 10)])
  expect(claims.map((claimed) => claimed.length).reduce((a, b) => a + b)).toBeGreaterThan(0)
  const ids = claims.flat().map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})
