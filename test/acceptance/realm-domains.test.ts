import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let member: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
  member = await world.user()
})

const listed = async (client: TestUser) => (await succeeded(client.get('/realm/domains'))).domains

describe('allowed domains', () => {
  it('are added, changed and removed, and everyone is told', async () => {
    const reader = await EventReader.register(member, { event_types: ['realm_domains'] })
    expect(reader.state.realm_domains).toEqual([])

    const { new_domain } = await succeeded(
      owner.post('/realm/domains', { domain: 'Example.ORG', allow_subdomains: false }),
    )
    expect(new_domain).toEqual([expect.any(Number), 'Example.ORG'])
    expect(await listed(member)).toEqual([{ domain: 'example.org', allow_subdomains: false }])
    await succeeded(owner.patch('/realm/domains/example.org', { allow_subdomains: true }))
    const later = await EventReader.register(member, { event_types: ['realm_domains'] })
    expect(later.state.realm_domains).toEqual([{ domain: 'example.org', allow_subdomains: true }])
    await succeeded(owner.delete('/realm/domains/example.org'))
    expect(await listed(member)).toEqual([])

    const told = await reader.until((event) => event.op === 'remove')
    expect(told.map(({ id: _, ...event }) => event)).toEqual([
      { type: 'realm_domains', op: 'add', realm_domain: { domain: 'example.org', allow_subdomains: false } },
      {
        type: 'realm_domains',
        op: 'change',
        realm_domain: { domain: 'example.org', allow_subdomains: true },
      },
      { type: 'realm_domains', op: 'remove', domain: 'example.org' },
    ])
    const [first] = await later.until((event) => event.op === 'remove')
    expect(first.op).toBe('remove')
  })

  it('are one entry, however they are spelled and however many add them at once', async () => {
    const spellings = ['bücher.example', 'BÜCHER.example', 'xn--bcher-kva.example', ' bücher.example ']
    const answers = await Promise.all(
      spellings.map((domain) => owner.post('/realm/domains', { domain, allow_subdomains: false })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    await succeeded(owner.delete(`/realm/domains/${encodeURIComponent('bücher.example')}`))
  })

  it('refuse what is no domain, and what anybody can have', async () => {
    for (const domain of ['', 'localhost', 'a@b.example', '127.0.0.1', 'co.uk']) {
      const { status, body } = await owner.post('/realm/domains', { domain, allow_subdomains: false })
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
    }
    expect((await owner.post('/realm/domains', { domain: 'a.example' })).body.code).toBe(
      'REQUEST_VARIABLE_MISSING',
    )
    await succeeded(owner.post('/realm/domains', { domain: 'github.io', allow_subdomains: false }))
    expect((await owner.patch('/realm/domains/github.io', { allow_subdomains: true })).body.code).toBe(
      'BAD_REQUEST',
    )
    await succeeded(owner.delete('/realm/domains/github.io'))
  })

  it('are for owners to change, each in their own organization', async () => {
    await succeeded(owner.post('/realm/domains', { domain: 'kept.example', allow_subdomains: false }))
    const changes = (client: Pick<TestUser, 'post' | 'patch' | 'delete'>) =>
      Promise.all([
        client.post('/realm/domains', { domain: 'other.example', allow_subdomains: true }),
        client.patch('/realm/domains/kept.example', { allow_subdomains: true }),
        client.delete('/realm/domains/kept.example'),
      ])
    for (const role of ['administrator', 'member', 'guest'] as const) {
      for (const { status, body } of await changes(await world.user({ role }))) {
        expect([status, body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL'])
      }
    }
    for (const { status } of await changes(world.stranger())) expect(status).toBe(401)
    expect((await world.stranger().get('/realm/domains')).status).toBe(401)

    const foreigner = await (await World.create()).user({ role: 'owner' })
    expect(await listed(foreigner)).toEqual([])
    expect(
      (await foreigner.patch('/realm/domains/kept.example', { allow_subdomains: true })).body,
    ).toMatchObject({ code: 'BAD_REQUEST', msg: 'No entry found for domain kept.example.' })
    expect((await foreigner.delete('/realm/domains/kept.example')).status).toBe(400)
    expect(await listed(member)).toEqual([{ domain: 'kept.example', allow_subdomains: false }])
  })
})
