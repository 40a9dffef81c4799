import type { Caller } from '@parley/contracts'
import { realmUserAdd } from '@parley/contracts/identity/events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchApiKey } from '../log-in/fetch-api-key.ts'
import { createRealm } from '../realms/create-realm.ts'
import { getServerSettings } from '../realms/get-server-settings.ts'
import { updateRealm } from '../realms/update-realm.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createUser } from '../users/create-user.ts'
import { deactivateUser } from '../users/deactivate-user.ts'
import { type Directory, type DirectorySettings, openDirectory } from './directory.ts'
import { escapeDnValue } from './directory-rules.ts'
import { base, reader, type Slapd, startSlapd } from './testing/slapd.ts'

let slapd: Slapd
let settings: DirectorySettings
let searching: Directory
let room: TestRoom
let caller: Caller

const open = (more: Partial<DirectorySettings> = {}) => openDirectory({ ...settings, ...more })
beforeAll(async () => {
  slapd = await startSlapd()
  settings = {
    url: slapd.url,
    startTls: true,
    caFile: slapd.caFile,
    bindDn: reader.dn,
    bindPassword: reader.password,
    userDn: '',
    base: `ou=people,${base}`,
    nameAttribute: 'uid',
    emailAttribute: 'mail',
    fullNameAttribute: 'cn',
    activeFilter: '(employeeType=active)',
  }
  searching = await open()
  room = await openTestRoom({ directory: searching })
  const { realm_id, subdomain, url } = await room.ask(createRealm, { subdomain: 'acme', name: 'Acme' })
  caller = { realm: { id: realm_id, subdomain, url }, user: null, client: 'test' }
  await room.announced()
})
afterAll(async () => {
  await room?.close()
  await slapd?.stop()
})

const anna = { email: 'anna@example.org', full_name: 'Anna Ott', is_active: true }

describe('a directory', () => {
  it('finds people by their name or address and believes their password, over TLS either way', async () => {
    expect(await searching.find('anna', 'anna secret')).toEqual(anna)
    expect(await searching.find('anna@example.org', 'anna secret')).toEqual(anna)
    expect(await (await open({ url: slapd.secureUrl })).find('anna', 'anna secret')).toEqual(anna)
    expect(await searching.find('gone', 'gone secret')).toMatchObject({ is_active: false })
    expect(await searching.find('odd*(name)', 'odd secret')).toMatchObject({ email: 'odd@example.org' })
  })

  it('lets nobody in by a wrong or empty password, or by a name that is more than a name', async () => {
    for (const password of ['', 'wrong', 'gone secret']) {
      expect(await searching.find('anna', password)).toBe('refused')
    }
    for (const name of [
      ...[
        '',
        'nobody',
        '*',
        'ann*',
        'anna)(uid=*',
        '*)(objectClass=*',
        'anna\0',
        'anna))(|(uid=*',
        '\\61nna',
      ],
      ...['x'.repeat(300), `employeeNumber=0,ou=people,${base}`],
    ]) {
      expect(await searching.find(name, 'anna secret'), name).toBe('unknown')
    }
  })

  it('binds people directly where their entry follows from their name, which stays one value of it', async () => {
    const direct = await open({ userDn: `uid={user},ou=people,${base}`, bindDn: '', bindPassword: '' })
    expect(await direct.find('direct', 'direct secret')).toEqual({
      email: 'direct@example.org',
      full_name: 'Direct Bind',
      is_active: true,
    })
    expect(await direct.find('direct', '')).toBe('refused')
    for (const [name, password] of [
      ['direct', 'wrong'],
      ['nobody', 'direct secret'],
      [`direct,ou=people,${base}`, 'direct secret'],
      [`x,${reader.dn}`, reader.password],
      ['direct+cn=x', 'direct secret'],
    ] as const) {
      expect(await direct.find(name, password), name).toBe('unknown')
    }
    expect(escapeDnValue('a,b=c ü')).toBe('a\\2cb\\3dc\\20\\c3\\bc')
    const elsewhere = await open({ userDn: `uid={user},ou=elsewhere,${base}`, bindDn: '', bindPassword: '' })
    expect(await elsewhere.find('anna', 'anna secret')).toBe('unknown')
  })

  it('is not followed elsewhere, and not believed without proof of who it is', async () => {
    const referred = await open({ base: `ou=elsewhere,${base}` })
    await expect(referred.find('anna', 'anna secret')).rejects.toMatchObject({ engine: 'ldap' })
    for (const more of [
      { caFile: '' },
      { caFile: '', url: slapd.secureUrl },
      { bindPassword: 'wrong' },
      { url: 'ldap://127.0.0.1:1' },
    ]) {
      await expect((await open(more)).find('anna', 'anna secret')).rejects.toMatchObject({ engine: 'ldap' })
    }
  })
})

describe('logging in by a directory', () => {
  const logIn = (username: string, password: string) => room.call(fetchApiKey, caller, { username, password })
  const made = async () =>
    (await room.announced()).filter(({ value }) => value.type === realmUserAdd.type && value.op === 'add')

  it('makes the account at the first time, one however many come at once, and keeps it', async () => {
    const [first, second] = await Promise.all([logIn('anna', 'anna secret'), logIn('anna', 'anna secret')])
    expect(first).toEqual(second)
    expect(first!.email).toBe('anna@example.org')
    const events = await made()
    expect(events).toMatchObject([{ value: { person: { full_name: 'Anna Ott', role: 400 } } }])
    expect(await logIn('anna@example.org', 'anna secret')).toEqual(first)
    expect(await made()).toEqual([])
    expect((await logIn('odd*(name)', 'odd secret')).email).toBe('odd@example.org')
    expect((await made())[0]!.value.person.full_name).toBe('Odd  Name')
    await room.ask(deactivateUser, { realm: 'acme', email: 'anna@example.org' })
    await expect(logIn('anna', 'anna secret')).rejects.toMatchObject({ error: 'USER_DEACTIVATED' })
    await expect(logIn('anna', 'wrong')).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
  })

  it('decides over whom it knows, whatever password the account has here', async () => {
    const account = { realm: 'acme', full_name: 'Gone', role: 400 as const, password: 'a local one' }
    await room.ask(createUser, { ...account, email: 'gone@example.org' })
    await room.ask(createUser, { ...account, email: 'local@example.org' })
    expect((await logIn('local@example.org', 'a local one')).email).toBe('local@example.org')
    await expect(logIn('gone@example.org', 'a local one')).rejects.toMatchObject({
      error: 'AUTHENTICATION_FAILED',
    })
    await expect(logIn('gone', 'gone secret')).rejects.toMatchObject({ error: 'USER_DEACTIVATED' })
    await room.announced()
    for (const [name, password] of [
      ['mailless', 'mailless secret'],
      ['nobody', 'anna secret'],
      ['anna', ''],
    ] as const) {
      await expect(logIn(name, password), name).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
    }
    expect(await made()).toEqual([])
  })

  it('is told to clients, and the organization may switch it off', async () => {
    const told = await room.call(getServerSettings, caller)
    expect(told).toMatchObject({
      authentication_methods: { ldap: true, password: true },
      require_email_format_usernames: false,
    })
    const { user_id } = await room.ask(createUser, {
      ...{ realm: 'acme', full_name: 'Olga', role: 100, password: null },
      email: 'olga@b.example',
    })
    const owner = { ...caller, user: { id: user_id, role: 100 as const, bot_type: null } }
    await room.call(updateRealm, owner, { authentication_methods: '{"LDAP":false}' })
    await expect(logIn('odd*(name)', 'odd secret')).rejects.toMatchObject({ error: 'AUTHENTICATION_FAILED' })
    await room.call(updateRealm, owner, { authentication_methods: '{"LDAP":true,"Email":false}' })
    expect((await logIn('odd*(name)', 'odd secret')).email).toBe('odd@example.org')
    await expect(logIn('local@example.org', 'a local one')).rejects.toMatchObject({
      error: 'AUTHENTICATION_FAILED',
    })
  })
})
