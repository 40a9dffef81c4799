import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { grantUserPermission } from '@parley/contracts/identity/internals'
import { type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { pythonWithClients } from '../running/python-clients.ts'

const unique = randomBytes(4).toString('hex')
let owner: TestUser
let other: TestUser
let site: string

beforeAll(async () => {
  const world = await World.atRoot()
  const person = (name: string, role: 'owner' | 'member') =>
    world.user({ name: `${name} ${unique}`, email: `${name}-${unique}@root.example`.toLowerCase(), role })
  owner = await person('Keeper', 'owner')
  other = await person('Neighbour', 'member')
  await world.ask(grantUserPermission, {
    ...{ realm: '', email: owner.email, permission: 'can_create_users', is_granted: true },
  })
  site = world.stack.origin.replace('127.0.0.1', 'localhost')
})

describe('the published Python client, with everything that it can do besides messages', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a client of another language saw.
  let saw: Record<string, any>

  it('is understood in every call', async () => {
    const python = await pythonWithClients()
    const script = new URL('clients/every-other-call.py', import.meta.url).pathname
    const { stdout } = await promisify(execFile)(
      python,
      [script, site, owner.email, owner.credentials!.key, unique, other.email, String(other.id)],
      { maxBuffer: 64 * 1024 * 1024 },
    )
    saw = JSON.parse(stdout)
    const refused = Object.entries(saw).filter(([, answer]) => answer.result !== 'success')
    expect(refused.map(([name, { code, msg }]) => [name, code, msg])).toEqual([
      ['mute_twice', 'BAD_REQUEST', 'User already muted'],
      ['create_channel_twice', 'BAD_REQUEST', `Channel 'made ${unique}' already exists`],
      ['create_user_twice', 'BAD_REQUEST', `Email 'new-${unique}@root.example' already in use`],
      ['store_as_person', 'PERMISSION_DENIED', 'Must be a bot user'],
      ['in_use', 'CANNOT_DEACTIVATE_GROUP_IN_USE', expect.any(String)],
    ])
    const ignored = Object.entries(saw).filter(([, answer]) => 'ignored_parameters_unsupported' in answer)
    // The client repeats in the body what its addresses have.
    expect(ignored.map(([name, answer]) => [name, answer.ignored_parameters_unsupported])).toEqual([
      ['settings', ['no_such_setting']],
      ['subscribers', ['stream']],
      ['update_stream', ['stream_id']],
      ['edit_group', ['group_id']],
    ])
  }, 180_000)

  it('sees what it did', () => {
    expect(saw.alert.alert_words).toEqual(expect.arrayContaining([`lunch ${unique}`, 'dinner']))
    expect(saw.unalert.alert_words).toEqual([`lunch ${unique}`])
    expect(saw.status_read.status).toMatchObject({ status_text: 'away', emoji_name: 'car' })
    expect(saw.presence_by_id.presence).toMatchObject(saw.presence_by_email.presence)
    expect(saw.presences.presences[owner.email].aggregated).toMatchObject({ status: 'active' })
    expect(saw.avatar.avatar_url).toContain('/user_avatars/')
    expect(saw.snippets.saved_snippets).toMatchObject([{ title: 'T', content: 'C' }])
    expect(saw.views.navigation_views).toMatchObject([
      { fragment: `narrow/channel/1-${unique}`, is_pinned: true, name: 'View' },
    ])
    const channel = `channel ${unique}`
    const ids = [owner.id, other.id]
    expect(saw.subscribe.subscribed).toEqual(Object.fromEntries(ids.map((id) => [id, [channel]])))
    expect(saw.subscribe_again.already_subscribed).toEqual({ [owner.id]: [channel] })
    const mine = (answer: string) =>
      saw[answer].subscriptions.find((one: { name: string }) => one.name === channel)
    expect(mine('subscriptions').subscribers.toSorted()).toEqual(ids.toSorted())
    expect(mine('subscriptions_then')).toMatchObject({ color: '#00ff00', is_muted: true, pin_to_top: true })
    expect(saw.subscribed.is_subscribed).toBe(true)
    const { stream_id } = saw.stream_id
    expect(saw.channels_of.subscribed_channel_ids).toContain(stream_id)
    expect(saw.stream.stream).toMatchObject({ stream_id, description: 'first', subscriber_count: 2 })
    expect(saw.channel_email.email).toEqual(expect.any(String))
    expect(saw.delete_topic.complete).toBe(true)
    expect(saw.unsubscribe).toMatchObject({ removed: [channel], not_removed: [] })
    expect(saw.user_by_email.user).toMatchObject({ user_id: other.id, email: other.email })
    expect(saw.members.members).toEqual(saw.users.members)
    expect(saw.stored.storage).toEqual({ 'entry 1': 'value 1', 'entry 2': 'value 2' })
    expect(saw.stored_one.storage).toEqual({ 'entry 1': 'value 1' })
    expect(saw.bot_profile).toMatchObject({ user_id: saw.bot.user_id, is_bot: true })
    expect(saw.members_of_group.members).toEqual([other.id])
    expect(saw.member_of_group.is_user_group_member).toBe(true)
    expect(saw.subgroups_read.subgroups).toEqual([saw.inner.group_id])
    expect(saw.in_use.objections).toEqual([{ type: 'subgroup', supergroup_ids: [saw.group.group_id] }])
    const emojis: { name: string }[] = Object.values(saw.emojis.emoji)
    expect(emojis.map(({ name }) => name)).toContain(`red_${unique}`)
    const linkifier = saw.linkifiers.linkifiers.find(({ id }: { id: number }) => id === saw.linkifier.id)
    expect(linkifier).toMatchObject({ url_template: 'https://issues.example/{id}' })
    expect(saw.invites.invites).toContainEqual(
      expect.objectContaining({ email: `i-${unique}@root.example`, is_multiuse: false }),
    )
  })
})
