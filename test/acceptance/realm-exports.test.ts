import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { showApiKey } from '@parley/contracts/identity/internals'
import {
  beginImport,
  purgeStatus,
  setContentAccess,
  traces,
} from '@parley/contracts/identity/realm-data-questions'
import { listRealms } from '@parley/contracts/identity/realm-life-questions'
import { TarReader } from '@parley/kit/tar'
import {
  Client,
  EventReader,
  eventually,
  stackFromEnvironment,
  succeeded,
  type TestUser,
  World,
} from '@parley/testkit'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'

type Row = Record<string, unknown>

/** A command as an operator types it; its result. */
const manage = async (...args: string[]) => {
  const { identityUrl, manageKey } = stackFromEnvironment()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['deploy/manage/main.ts', ...args, '--json'],
    {
      env: { ...process.env, IDENTITY_URL: identityUrl, SIGNING_KEY: manageKey, S3_BUCKET: 'parley' },
    },
  )
  return JSON.parse(stdout)
}

const download = async (world: World, url: string): Promise<{ status: number; bytes: Buffer }> => {
  const { pathname } = new URL(url)
  const answer = await request(`${world.stack.origin}${pathname}`, { headers: { host: world.host } })
  return { status: answer.statusCode, bytes: Buffer.from(await answer.body.arrayBuffer()) }
}

/** Entries by name; rows by table. */
const opened = async (bytes: Buffer) => {
  const entries = new Map<string, Buffer>()
  const reader = new TarReader({
    wants: () => true,
    onEntry: ({ name }, _sum, content) => void entries.set(name, content!),
  })
  await reader.take(bytes)
  reader.end()
  const rows = (table: string): Row[] =>
    [...entries]
      .filter(([name]) => name.startsWith(`${table}/`))
      .flatMap(([, content]) => content.toString().trim().split('\n'))
      .map((line) => JSON.parse(line))
  return { entries, rows, text: [...entries.values()].map(String).join('\n') }
}

const finished = (client: Client, id: number): Promise<Row> =>
  eventually(async () => {
    const { exports } = await succeeded(client.get('/export/realm'))
    const found = exports.find((one: Row) => one.id === id)
    expect(found.pending).toBe(false)
    return found
  }, 60)

const upload = async (client: TestUser, name: string, content: string): Promise<string> => {
  const boundary = 'a-boundary'
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--${boundary}--\r\n`
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const { status, body: answer } = await client.send('POST', '/user_uploads', body, type)
  expect(status).toBe(200)
  return answer.url
}

/** An organization in which something was said in public, in private, and between two. */
const furnished = async (world: World) => {
  const owner = await world.user({ role: 'owner', name: 'Olga Owner' })
  const admin = await world.user({ role: 'administrator', name: 'Ada Admin' })
  const member = await world.user({ name: 'Max Member' })
  const subscriptions = (name: string) => JSON.stringify([{ name }])
  await succeeded(owner.post('/users/me/subscriptions', { subscriptions: subscriptions('open') }))
  await succeeded(
    owner.post('/users/me/subscriptions', { subscriptions: subscriptions('closed'), invite_only: true }),
  )
  await succeeded(member.post('/users/me/subscriptions', { subscriptions: subscriptions('open') }))
  const say = async (to: string, content: string) =>
    (await succeeded(owner.post('/messages', { type: 'channel', to, topic: 'a topic', content })))
      .id as number
  const publicFile = await upload(owner, 'public.txt', 'bytes of a public file')
  const privateFile = await upload(owner, 'private.txt', 'bytes of a private file')
  const mention = `@**Max Member|${member.id}** look: [public.txt](${publicFile})`
  const spoken = await say('open', mention)
  await say('closed', `words of a private channel [private.txt](${privateFile})`)
  await succeeded(owner.post('/messages', { type: 'direct', to: [member.id], content: 'words between two' }))
  await succeeded(member.post(`/messages/${spoken}/reactions`, { emoji_name: 'heart' }))
  await succeeded(member.post('/messages/flags', { messages: [spoken], op: 'add', flag: 'starred' }))
  const draft = { type: 'private', to: [owner.id], topic: '', content: 'words of a draft', timestamp: 1 }
  await succeeded(member.post('/drafts', { drafts: [draft] }))
  await succeeded(
    owner.post('/user_groups/create', { name: 'crew', description: '', members: [owner.id, member.id] }),
  )
  // Links between files and messages are made after the fact.
  await eventually(async () => {
    const { attachments } = await succeeded(owner.get('/attachments'))
    expect(attachments.every(({ message_ids }: Row) => (message_ids as number[]).length === 1)).toBe(true)
  }, 20)
  return { owner, admin, member, spoken, publicFile, privateFile }
}

describe('exports over HTTP', () => {
  it('are for administrators, tell what every member may see, and end with their rights', async () => {
    const world = await World.create()
    const { owner, admin, member } = await furnished(world)
    const guest = await world.user({ role: 'guest' })
    const moderator = await world.user({ role: 'moderator' })
    const stranger = world.stranger()
    for (const client of [guest, member, moderator]) {
      for (const ask of [
        client.post('/export/realm'),
        client.get('/export/realm'),
        client.get('/export/realm/consents'),
        client.delete('/export/realm/1'),
      ]) {
        const { status, body } = await ask
        expect([status, body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL'])
      }
    }
    expect((await stranger.post('/export/realm')).status).toBe(401)
    expect(await succeeded(admin.get('/export/realm'))).toMatchObject({ exports: [] })

    const readers = { admin: await EventReader.register(admin, { event_types: ['realm_export'] }) }
    const nobody = await EventReader.register(member, {
      event_types: ['realm_export', 'realm_export_consent'],
    })
    const consents = await EventReader.register(owner, { event_types: ['realm_export_consent'] })
    const { id } = await succeeded(admin.post('/export/realm'))
    const done = await finished(admin, id)
    expect(done).toMatchObject({
      id,
      acting_user_id: admin.id,
      export_type: 'public',
      deleted_timestamp: null,
      failed_timestamp: null,
      export_from_prior_server: false,
    })
    const told = await readers.admin.waitFor(({ exports }) => exports?.[0]?.pending === false)
    expect(told.exports[0].export_url).toMatch(/^https?:\/\/.*\/exports\//)
    const { status, bytes } = await download(world, done.export_url as string)
    expect(status).toBe(200)
    const archive = await opened(bytes)
    expect(archive.text).toContain('bytes of a public file')
    expect(archive.rows('channels/messages').map(({ topic }) => topic)).toContain('a topic')
    for (const hidden of [
      'private channel',
      'private file',
      'private.txt',
      'between two',
      'of a draft',
      'starred',
    ]) {
      expect([hidden, archive.text.includes(hidden)]).toEqual([hidden, false])
    }
    expect(archive.rows('channels/channels').map(({ name }) => name)).toEqual(['open'])

    await succeeded(member.patch('/settings', { allow_private_data_export: true }))
    await consents.waitFor(({ user_id, consented }) => user_id === member.id && consented === true)
    const { export_consents } = await succeeded(admin.get('/export/realm/consents'))
    expect(export_consents).toContainEqual({
      user_id: member.id,
      consented: true,
      email_address_visibility: 1,
    })
    const consented = await succeeded(admin.post('/export/realm', { export_type: 'full_with_consent' }))
    const second = await finished(admin, consented.id)
    const private_ = await opened((await download(world, second.export_url as string)).bytes)
    expect(private_.text).toContain('words between two')
    expect(private_.text).toContain('words of a draft')
    expect(private_.text).not.toContain('words of a private channel')
    expect(private_.text).not.toContain('bytes of a private file')

    const other = await World.create()
    const foreign = await other.user({ role: 'owner' })
    const { body } = await foreign.delete(`/export/realm/${id}`)
    expect(body.msg).toBe('Invalid data export ID')
    expect((await download(other, done.export_url as string)).status).toBe(403)
    const forged = (done.export_url as string).replace(/\/exports\/\d+/, `/exports/${consented.id}`)
    expect((await download(world, forged)).status).toBe(403)
    await succeeded(owner.patch(`/users/${admin.id}`, { role: 400 }))
    await eventually(async () => expect((await download(world, done.export_url as string)).status).toBe(403))
    await succeeded(owner.delete(`/export/realm/${id}`))
    const again = await owner.delete(`/export/realm/${id}`)
    expect([again.status, again.body.code]).toEqual([400, 'BAD_REQUEST'])
    await nobody.poll({ dont_block: true })
    expect(nobody.received.filter(({ type }) => String(type).startsWith('realm_export'))).toEqual([])
  }, 120_000)
})

/** What is not the same in two archives although nothing is different: what is made anew, and when it was read. */
const made = new Set(['requested_at', 'finished_at', 'subscriber_count'])

/** Replaces the IDs of one archive by those of another, as the import did. */
const comparable = (rows: Row[]): unknown[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !made.has(name))))

describe('an archive', () => {
  it('becomes an organization that is the same up to its IDs', async () => {
    const world = await World.create()
    const { owner, member, spoken } = await furnished(world)
    const { ask } = world
    await finished(owner, (await succeeded(owner.post('/export/realm'))).id)
    await ask(setContentAccess, { realm: world.subdomain, is_given: true })
    const folder = await mkdtemp(join(tmpdir(), 'parley-archive-'))
    const file = join(folder, 'archive.tar')
    const subdomain = `${world.subdomain}b`
    const stored = await manage('export-realm', '--realm', world.subdomain, '--out', file)
    expect(stored).toMatchObject({ state: 'finished', export_type: 'full_without_consent', file })
    const damaged = join(folder, 'damaged.tar')
    const bytesOfIt = await readFile(file)
    const at = bytesOfIt.indexOf('bytes of a public file')
    await writeFile(
      damaged,
      Buffer.concat([bytesOfIt.subarray(0, at), Buffer.from('B'), bytesOfIt.subarray(at + 1)]),
    )
    await expect(manage('import-realm', damaged, '--subdomain', `${world.subdomain}c`)).rejects.toThrow(
      /not as it was when it was written/,
    )
    const { realm_id } = await manage('import-realm', file, '--subdomain', subdomain)
    await rm(folder, { recursive: true })
    await expect(
      ask(beginImport, { subdomain, archive_key: stored.object_key, as_stubs: false }),
    ).rejects.toThrow()

    const host = `${subdomain}.${world.stack.host}`
    const clientOf = async (email: string) => {
      const { api_key, user_id } = await ask(showApiKey, { realm: subdomain, email })
      return { client: new Client(world.stack.origin, host, { email, key: api_key }), id: user_id }
    }
    const there = await clientOf(member.email)
    expect(there.id).not.toBe(member.id)
    const narrow = JSON.stringify([{ operator: 'channel', operand: 'open' }])
    const found = await eventually(async () => {
      const { messages } = await succeeded(
        there.client.get('/messages', { anchor: 'newest', num_before: 100, num_after: 0, narrow }),
      )
      const one = messages.find(({ content }: Row) => String(content).includes('look:'))
      expect(one).toBeDefined()
      return one
    }, 30)
    expect(found.id).not.toBe(spoken)
    expect(found.content).toContain(`data-user-id="${there.id}"`)
    expect(found.flags).toContain('starred')
    expect(found.reactions).toMatchObject([{ emoji_name: 'heart', user_id: there.id }])
    const place = /\/user_uploads\/(\d+)\/[^"\s]+/.exec(found.content)!
    expect(Number(place[1])).toBe(realm_id)
    const bytes = await there.client.sendRaw('GET', place[0])
    expect([bytes.status, bytes.text]).toEqual([200, 'bytes of a public file'])

    // Once more, and compared: by the archive's own ranges each ID says which one it was.
    const chief = await clientOf(owner.email)
    await ask(setContentAccess, { realm: subdomain, is_given: true })
    const imported = { ...world, host } as World
    const archives = await Promise.all(
      (
        [
          [world, owner],
          [imported, chief.client],
        ] as const
      ).map(async ([place, client]) => {
        const { id } = await succeeded(client.post('/export/realm', { export_type: 'full_without_consent' }))
        const { export_url } = await finished(client, id)
        const { pathname } = new URL(export_url as string)
        const answer = await request(`${world.stack.origin}${pathname}`, { headers: { host: place.host } })
        expect(answer.statusCode).toBe(200)
        return opened(Buffer.from(await answer.body.arrayBuffer()))
      }),
    )
    const [before, after] = archives as [(typeof archives)[0], (typeof archives)[0]]
    const idsOf = (archive: typeof before, table: string, column = 'id') =>
      archive.rows(table).map((row) => row[column] as number)
    const places = new Map<string, Map<number, number>>()
    const same = (kind: string, table: string, column = 'id') => {
      const [old, fresh] = [idsOf(before, table, column), idsOf(after, table, column)]
      expect([kind, fresh.length]).toEqual([kind, old.length])
      const known = places.get(kind) ?? new Map<number, number>()
      for (const [at, id] of old.entries()) known.set(fresh[at]!, id)
      places.set(kind, known)
    }
    same('user', 'identity/users')
    same('group', 'identity/user_groups')
    same('channel', 'channels/channels')
    same('recipient', 'channels/channels', 'recipient_id')
    same('recipient', 'channels/conversations', 'recipient_id')
    same('message', 'channels/messages')
    same('attachment', 'uploads/attachments')
    const columns: Record<string, string> = {
      user_id: 'user',
      sender_id: 'user',
      creator_id: 'user',
      owner_id: 'user',
      bot_owner_id: 'user',
      group_id: 'group',
      subgroup_id: 'group',
      channel_id: 'channel',
      recipient_id: 'recipient',
      message_id: 'message',
      attachment_id: 'attachment',
    }
    const translated = (rows: Row[]): Row[] =>
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => {
            const kind = columns[name]
            const known = kind === undefined ? undefined : places.get(kind)?.get(value as number)
            return [name, known ?? value]
          }),
        ),
      )
    const tables: [table: string, ...without: string[]][] = [
      ['identity/group_members'],
      ['identity/group_closure'],
      ['identity/group_subgroups'],
      ['channels/subscription_periods', 'after_message_id', 'until_message_id'],
      ['channels/subscriptions'],
      ['channels/conversation_participants'],
      ['channels/messages', 'id', 'realm_id', 'content', 'rendered_content'],
      ['channels/message_flags'],
      ['channels/reactions', 'id'],
      ['channels/drafts', 'id', 'recipients'],
      ['uploads/attachments', 'id', 'realm_id', 'path_id'],
      ['uploads/attachment_messages'],
      ['invitations/realm_domains', 'id', 'realm_id'],
      ['presence/user_status', 'realm_id'],
    ]
    for (const [table, ...without] of tables) {
      const bare = (rows: Row[]) =>
        comparable(rows)
          .map((row) =>
            JSON.stringify(Object.entries(row as Row).filter(([name]) => !without.includes(name))),
          )
          .sort()
      expect([table, bare(translated(after.rows(table)))]).toEqual([table, bare(before.rows(table))])
    }
    const [oldUsers, newUsers] = [before, after].map((archive) =>
      archive.rows('identity/users').map(({ id: _, realm_id: __, bot_owner_id: ___, ...row }) => row),
    )
    expect(newUsers).toEqual(oldUsers)
    // What was exported before the move is told of, and cannot be had any more.
    const { exports } = await succeeded(chief.client.get('/export/realm'))
    const [prior] = exports.filter((one: Row) => one.export_from_prior_server)
    expect([prior.export_url, prior.pending, prior.acting_user_id]).toEqual([null, false, chief.id])
    expect((await chief.client.delete(`/export/realm/${prior.id}`)).body.msg).toBe('Export already deleted')
  }, 180_000)
})

describe('the end of an organization', () => {
  it('leaves no trace of it in any service, and nothing of another one is touched', async () => {
    const [ending, staying] = [await World.create(undefined, { demoDays: 30 }), await World.create()]
    const { owner } = await furnished(ending)
    const kept = await furnished(staying)
    await succeeded(owner.post('/export/realm'))
    const before = await staying.ask(traces, { realm_id: staying.realmId })
    await succeeded(owner.post('/realm/deactivate', { deletion_delay_days: 0 }))
    await eventually(async () => {
      const { state, services } = await ending.ask(purgeStatus, { realm: ending.subdomain })
      expect([state, services]).toEqual(['purged', expect.anything()])
    }, 60)
    const { traces: left } = await ending.ask(traces, { realm_id: ending.realmId })
    expect(left).toEqual({})
    const { realms } = await ending.ask(listRealms, {})
    expect(realms.map(({ realm_id }) => realm_id)).not.toContain(ending.realmId)
    const gone = await owner.get('/users/me')
    expect([gone.status === 401 || gone.status === 404, gone.body.result]).toEqual([true, 'error'])
    expect((await staying.ask(traces, { realm_id: staying.realmId })).traces).toMatchObject({
      channels: { messages: before.traces.channels!.messages },
    })
    const file = await kept.owner.sendRaw('GET', kept.publicFile)
    expect([file.status, file.text]).toEqual([200, 'bytes of a public file'])
  }, 120_000)
})
