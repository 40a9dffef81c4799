import { EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let admin: TestUser
let member: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
  admin = await world.user({ role: 'administrator' })
  member = await world.user()
})

const listed = async (client: TestUser) => (await succeeded(client.get('/invites'))).invites
const channelId = async (maker: TestUser, name: string, isPrivate = false): Promise<number> => {
  await succeeded(
    maker.post('/users/me/subscriptions', { subscriptions: [{ name }], invite_only: isPrivate }),
  )
  const { streams } = await succeeded(maker.get('/streams', { include_all: 'true' }))
  return streams.find((stream: { name: string }) => stream.name === name).stream_id
}
const refused = async (answer: Promise<{ status: number; body: { code: string; msg: string } }>) => {
  const { status, body } = await answer
  return [status, body.code, body.msg]
}

describe('reusable links', () => {
  it('are made, listed and ended; administrators and their makers are told, others are not', async () => {
    const [own, others] = await Promise.all([
      EventReader.register(admin, { event_types: ['invites_changed'] }),
      EventReader.register(member, { event_types: ['invites_changed', 'realm_domains'] }),
    ])
    const { invite_link } = await succeeded(
      owner.post('/invites/multiuse', { invite_expires_in_minutes: null }),
    )
    expect(invite_link).toMatch(/^http:\/\/.+\/join\/[\w-]{32}\/$/)
    await own.waitFor(({ type }) => type === 'invites_changed')
    const [invite] = await listed(admin)
    expect(invite).toMatchObject({ invited_by_user_id: owner.id, expiry_date: null, link_url: invite_link })
    expect(await listed(member)).toEqual([])
    await succeeded(admin.delete(`/invites/multiuse/${invite.id}`))
    expect(await listed(admin)).toEqual([])
    await succeeded(owner.post('/realm/domains', { domain: 'told.example', allow_subdomains: false }))
    const told = await others.until(({ type }) => type === 'realm_domains')
    expect(told.map(({ type }) => type)).toEqual(['realm_domains'])
  })

  it('are for those whom the setting names, and give only what their maker may give', async () => {
    for (const client of [
      member,
      await world.user({ role: 'moderator' }),
      await world.user({ role: 'guest' }),
    ]) {
      expect(await refused(client.post('/invites/multiuse'))).toEqual([
        400,
        'BAD_REQUEST',
        'Insufficient permission',
      ])
    }
    expect((await world.stranger().post('/invites/multiuse')).status).toBe(401)
    const everybody = await channelId(member, 'everybody')
    const secret = await channelId(owner, 'secret', true)
    const { group_id } = await succeeded(
      owner.post('/user_groups/create', { name: 'crew', description: '', members: [] }),
    )
    await succeeded(
      owner.post('/invites/multiuse', { stream_ids: [everybody, secret], group_ids: [group_id] }),
    )
    const { state } = await EventReader.register(owner, { event_types: ['realm_user_groups', 'user_group'] })
    const members = state.realm_user_groups.find(({ name }: { name: string }) => name === 'role:members').id
    await succeeded(owner.patch('/realm', { create_multiuse_invite_group: { new: members } }))

    await succeeded(member.post('/invites/multiuse', { stream_ids: [everybody] }))
    for (const [sent, msg] of [
      [{ stream_ids: [secret] }, `Invalid channel ID ${secret}. No invites were sent.`],
      [{ stream_ids: [everybody, 2 ** 50] }, `Invalid channel ID ${2 ** 50}. No invites were sent.`],
      [{ group_ids: [group_id] }, 'Insufficient permission'],
      [{ group_ids: [members] }, 'Insufficient permission'],
      [{ group_ids: [2 ** 50] }, 'Invalid user group'],
      [{ invite_as: 300 }, 'You cannot invite people to a role above your own.'],
    ] as const) {
      expect(await refused(member.post('/invites/multiuse', sent))).toEqual([400, 'BAD_REQUEST', msg])
    }
  })

  it('end with the right of their makers, and with their accounts', async () => {
    const maker = await world.user({ role: 'administrator' })
    await succeeded(maker.post('/invites/multiuse', { invite_as: 200 }))
    await succeeded(maker.post('/invites/multiuse'))
    const ofMaker = async () =>
      (await listed(owner)).filter(
        (invite: { invited_by_user_id: number }) => invite.invited_by_user_id === maker.id,
      )
    expect((await ofMaker()).length).toBe(2)
    const reader = await EventReader.register(admin, { event_types: ['invites_changed'] })
    await succeeded(owner.patch(`/users/${maker.id}`, { role: 400 }))
    await eventually(async () => expect((await ofMaker()).length).toBe(1))
    await reader.waitFor(({ type }) => type === 'invites_changed')
    await succeeded(owner.delete(`/users/${maker.id}`))
    await eventually(async () => expect(await ofMaker()).toEqual([]))
  })
})
