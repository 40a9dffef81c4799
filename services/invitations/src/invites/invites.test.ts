import { type KnownCaller, type RoleName, roles } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimInviters, noteInviters } from '../inviters/inviter-store.ts'
import { judgeInviter } from '../inviters/judge-inviter.ts'
import { takeInAccount } from '../inviters/on-rights-changed.ts'
import { administratorId, openTestRoom, type TestRoom } from '../test-room.ts'
import { createMultiuseInvite } from './create-multiuse-invite.ts'
import { listInvites } from './list-invites.ts'
import { revokeMultiuseInvite } from './revoke-multiuse-invite.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  await room.deps.database.sql`TRUNCATE invitations, confirmations, joinings, inviters_to_judge`
  await room.announced()
})

const link = async (caller: KnownCaller, sent: Record<string, unknown> = {}) =>
  (await room.call(createMultiuseInvite, caller, sent)).invite_link
const listed = async (caller: KnownCaller) => (await room.call(listInvites, caller)).invites
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    ({ code, message }) => ({ code, message }),
  )
const storedTerms = async () => {
  const [row] = await room.deps.database.sql`
    SELECT to_jsonb(channel_ids) AS channels, to_jsonb(group_ids) AS groups, welcome_message_custom_text AS welcome,
      validity_minutes FROM invitations ORDER BY id DESC LIMIT 1`
  return row
}

describe('a reusable link', () => {
  it('is made with what the caller may give, is listed, and is told of', async () => {
    const owner = room.person('owner')
    const made = await link(owner, {
      invite_expires_in_minutes: 60,
      invite_as: 300,
      stream_ids: [1, 2, 1],
      group_ids: [3],
      include_realm_default_subscriptions: true,
      welcome_message_custom_text: 'Hello',
    })
    expect(made).toMatch(/^http:\/\/o7\.chat\.example\/join\/[\w-]{32}\/$/)
    const [invite] = await listed(owner)
    expect(invite).toEqual({
      id: expect.any(Number),
      invited_by_user_id: owner.user.id,
      invited: expect.any(Number),
      expiry_date: invite!.invited + 3600,
      invited_as: 300,
      is_multiuse: true,
      notify_referrer_on_join: true,
      link_url: made,
    })
    expect(await storedTerms()).toEqual({
      channels: [1, 2],
      groups: [3],
      welcome: 'Hello',
      validity_minutes: 60,
    })
    const [told] = await room.announced()
    expect(told!.value).toEqual({ type: 'invites_changed' })
    expect(told!.audience).toEqual({ realm: 7, users: [administratorId, owner.user.id] })
    const [stored] = await room.deps.database.sql<
      { row: string }[]
    >`SELECT invitations::text AS row FROM invitations`
    expect(stored!.row).not.toContain(made.split('/').at(-2)!)
  })

  it.each([
    [{}, 14_400],
    [{ invite_expires_in_minutes: null }, null],
    [{ invite_expires_in_minutes: 1 }, 1],
  ])('is valid for as long as asked: %j', async (sent, minutes) => {
    const owner = room.person('owner')
    await link(owner, sent)
    const [invite] = await listed(owner)
    expect(invite!.expiry_date).toBe(minutes === null ? null : invite!.invited + minutes * 60)
  })

  it('is never for a role above its maker, nor for who may not invite', async () => {
    for (const [maker, invitedAs, isAllowed] of [
      ['owner', 100, true],
      ['administrator', 100, false],
      ['administrator', 200, true],
      ['administrator', 600, true],
      ['moderator', 400, false],
      ['member', 400, false],
      ['guest', 600, false],
    ] as [RoleName, number, boolean][]) {
      const outcome = await refusal(link(room.person(maker), { invite_as: invitedAs }))
      expect([maker, invitedAs, typeof outcome === 'string' ? outcome : outcome.code]).toEqual([
        maker,
        invitedAs,
        isAllowed ? 'accepted' : 'BAD_REQUEST',
      ])
    }
    expect(await refusal(link(room.person('owner'), { invite_as: 500 }))).toMatchObject({
      code: 'BAD_REQUEST',
    })
  })

  it('refuses channels and groups that its maker may not give, and texts that are too long', async () => {
    const owner = room.person('owner')
    const refused = (sent: Record<string, unknown>) => refusal(link(owner, sent))
    expect(await refused({ stream_ids: [1, 91] })).toEqual({
      code: 'BAD_REQUEST',
      message: 'Invalid channel ID 91. No invites were sent.',
    })
    expect(await refused({ stream_ids: [60] })).toEqual({
      code: 'BAD_REQUEST',
      message: 'You do not have permission to subscribe other users to channels.',
    })
    expect(await refused({ group_ids: [51] })).toEqual({ code: 'BAD_REQUEST', message: 'Invalid user group' })
    for (const sent of [
      { invite_expires_in_minutes: 0 },
      { invite_expires_in_minutes: -5 },
      { invite_expires_in_minutes: 1e12 },
      { stream_ids: 'x' },
      { stream_ids: ['general'] },
      { welcome_message_custom_text: '😀'.repeat(8001) },
    ]) {
      expect(await refused(sent)).toMatchObject({ code: 'BAD_REQUEST' })
    }
    expect(await refused({ welcome_message_custom_text: '😀'.repeat(8000) })).toBe('accepted')
  })

  it("has a welcome text from administrators only; for others it is the organization's", async () => {
    room.answers['inviting-standing'] = makeEverybodyInvite(room.answers['inviting-standing']!)
    for (const [role, sent, stored] of [
      ['administrator', 'Hi', 'Hi'],
      ['administrator', '', ''],
      ['administrator', 'null', null],
      ['member', 'Hi', null],
    ] as [RoleName, string, string | null][]) {
      await link(room.person(role), { welcome_message_custom_text: sent })
      expect((await storedTerms())!.welcome).toBe(stored)
    }
  })

  it('belongs to one organization: its key is unknown elsewhere', () => {
    const { keys } = room.deps
    const made = keys.make(7)
    const key = keys.show(7, made.nonce)
    expect(keys.hash(7, key).equals(made.hash as Buffer)).toBe(true)
    expect(keys.hash(8, key).equals(made.hash as Buffer)).toBe(false)
    expect(keys.hash(7, `${key}x`).equals(made.hash as Buffer)).toBe(false)
  })
})

const makeEverybodyInvite = (before: (input: never) => unknown) => (input: never) => {
  const answer = before(input) as { account: { allowed: string[] } | null }
  answer.account?.allowed.push('create_multiuse_invite_group')
  return answer
}

describe('who sees and ends links', () => {
  it('administrators all, others their own; ended and expired ones are gone', async () => {
    const [owner, admin, member, other] = (['owner', 'administrator', 'member', 'moderator'] as const).map(
      (role) => room.person(role),
    ) as [KnownCaller, KnownCaller, KnownCaller, KnownCaller]
    const foreigner = room.person('owner', 8)
    await link(owner, { invite_as: 100 })
    await link(member)
    const [of_member, of_owner] = (await listed(admin)).map(({ id }) => ({ invite_id: String(id) })) as [
      { invite_id: string },
      { invite_id: string },
    ]
    expect((await listed(member)).length).toBe(1)
    expect(await listed(other)).toEqual([])
    expect(await listed(foreigner)).toEqual([])
    await room.announced()

    const end = (caller: KnownCaller, path: { invite_id: string }) =>
      refusal(room.call(revokeMultiuseInvite, caller, {}, path))
    const unknown = { code: 'BAD_REQUEST', message: 'No such invitation' }
    expect(await end(other, of_member)).toEqual(unknown)
    expect(await end(member, of_owner)).toEqual(unknown)
    expect(await end(foreigner, of_owner)).toEqual(unknown)
    expect(await end(owner, { invite_id: '999999' })).toEqual(unknown)
    expect(await end(admin, of_owner)).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' })
    expect(await room.announced()).toEqual([])
    expect(await end(admin, of_member)).toBe('accepted')
    const [told] = await room.announced()
    expect(told!.audience.users.sort()).toEqual([administratorId, admin.user.id, member.user.id].sort())
    const revoked = { code: 'BAD_REQUEST', message: 'Invitation has already been revoked' }
    for (const caller of [admin, member]) expect(await end(caller, of_member)).toEqual(revoked)
    for (const caller of [other, foreigner]) expect(await end(caller, of_member)).toEqual(unknown)
    await room.deps.database.sql`UPDATE invitations SET expires_at = now()`
    expect(await listed(owner)).toEqual([])
    expect(await end(owner, of_owner)).toEqual(unknown)
  })
})

describe('an inviter whose rights change', () => {
  const judgeAll = async () => {
    for (const inviter of await claimInviters(room.deps.database.sql, 10))
      await judgeInviter(room.deps, inviter)
  }

  it('keeps what may still be given, and loses the rest, which is told', async () => {
    const owner = room.person('owner')
    await link(owner, { invite_as: 100 })
    await link(owner, { invite_as: 400 })
    await room.announced()
    const before = room.answers['inviting-standing']!
    await noteInviters(room.deps.database.sql, { realmId: 7 })
    await judgeAll()
    expect(await room.announced()).toEqual([])

    room.answers['inviting-standing'] = (input) => ({
      ...(before(input) as object),
      account: { role: 200, full_name: '', delivery_email: '', allowed: ['create_multiuse_invite_group'] },
    })
    await noteInviters(room.deps.database.sql, { inviterId: owner.user.id })
    await judgeAll()
    expect((await listed(owner)).map(({ invited_as }) => invited_as)).toEqual([400])
    expect((await room.announced())[0]!.audience.users.sort()).toEqual(
      [administratorId, owner.user.id].sort(),
    )

    room.answers['inviting-standing'] = (input) => ({ ...(before(input) as object), account: null })
    const fact: UserFact = {
      id: owner.user.id,
      realm_id: 7,
      email: 'a@a.example',
      delivery_email: 'a@a.example',
      full_name: 'A',
      role: roles.owner,
      is_active: false,
      bot_type: null,
      bot_owner_id: null,
      avatar_source: 'G',
      avatar_version: 1,
      version: 9,
    }
    await takeInAccount(room.deps.database.sql, fact)
    await judgeAll()
    expect(await listed(owner)).toEqual([])
    room.answers['inviting-standing'] = before
  })

  it('is judged again when something changed meanwhile', async () => {
    const owner = room.person('owner')
    await link(owner)
    const { sql } = room.deps.database
    await noteInviters(sql, { realmId: 7 })
    const [taken] = await claimInviters(sql, 10)
    expect(await claimInviters(sql, 10)).toEqual([])
    await noteInviters(sql, { realmId: 7 })
    await judgeInviter(room.deps, taken!)
    expect((await claimInviters(sql, 10)).length).toBe(1)
  })
})
