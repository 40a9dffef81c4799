import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBot } from '../bots/create-bot.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { endUser } from '../users/end-user.ts'
import { getUser } from '../users/get-user.ts'
import { listUsers } from '../users/list-users.ts'
import { updateUser } from '../users/update-user.ts'
import { createProfileField } from './create-profile-field.ts'
import { listProfileFields } from './list-profile-fields.ts'
import { customProfileFieldsSection } from './profile-fields-section.ts'
import { removeOwnProfile } from './remove-own-profile.ts'
import { removeProfileField } from './remove-profile-field.ts'
import { reorderProfileFields } from './reorder-profile-fields.ts'
import { updateOwnProfile } from './update-own-profile.ts'
import { updateProfileField } from './update-profile-field.ts'

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  organization = await openTestOrganization(room)
  people = organization.people
})

const told = async () =>
  (await room.announced())
    .filter(({ topic }) => topic === 'client-events')
    .map(({ audience, value }) => [audience.everyone, value.fields ?? value.person])
const ask = async (wishes: Record<string, unknown>): Promise<number> => {
  const sent = Object.fromEntries(
    Object.entries(wishes).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  return (await room.call(createProfileField, people.administrator, sent)).id
}
const say = (caller: TestOrganization['people']['member'], ...data: { id: number; value: unknown }[]) =>
  room.call(updateOwnProfile, caller, { data: JSON.stringify(data) })
const profileOf = async (id: number) =>
  (await room.call(getUser, people.guest, { include_custom_profile_fields: 'true' }, { user_id: String(id) }))
    .user.profile_data
const path = (field_id: number) => ({ field_id: String(field_id) })

describe('profile fields', () => {
  it('are made in order, told to everyone, and listed for anybody', async () => {
    const phone = await ask({ field_type: 1, name: ' Phone ', hint: 'With country' })
    const editor = await ask({
      field_type: 3,
      name: 'Editor',
      field_data: { '0': { text: 'Vim', order: '1' }, '1': { text: 'Emacs', order: '2' } },
      display_in_profile_summary: true,
    })
    const account = await ask({ field_type: 7, field_data: { subtype: 'github' } })
    const { custom_fields } = await room.call(listProfileFields, people.guest)
    const standard = { hint: '', field_data: '', required: false, editable_by_user: true }
    expect(custom_fields).toEqual([
      {
        ...standard,
        ...{ id: phone, type: 1, order: 1, name: 'Phone', hint: 'With country' },
        use_for_user_matching: false,
      },
      {
        ...standard,
        ...{ id: editor, type: 3, order: 2, name: 'Editor', display_in_profile_summary: true },
        field_data: '{"0":{"text":"Vim","order":"1"},"1":{"text":"Emacs","order":"2"}}',
        use_for_user_matching: false,
      },
      {
        ...standard,
        ...{ id: account, type: 7, order: 3, name: 'GitHub', hint: 'Enter your GitHub username' },
        field_data: '{"subtype":"github"}',
        use_for_user_matching: false,
      },
    ])
    const events = await told()
    expect(events).toHaveLength(3)
    expect(events.at(-1)).toEqual([true, custom_fields])
    const section = await customProfileFieldsSection.read({
      caller: people.guest,
      sql: room.deps.database.sql,
    } as never)
    expect(section.custom_profile_fields).toEqual(custom_fields)
    expect(section.custom_profile_field_types.SELECT!.id).toBe(3)

    await room.call(reorderProfileFields, people.administrator, {
      order: JSON.stringify([account, phone, editor]),
    })
    expect((await told())[0]![1].map(({ id }: { id: number }) => id)).toEqual([account, phone, editor])
    for (const order of [
      [account, phone],
      [account, account, phone],
      [account, phone, 0],
    ]) {
      await expect(
        room.call(reorderProfileFields, people.administrator, { order: JSON.stringify(order) }),
      ).rejects.toMatchObject({ message: 'Invalid order mapping.' })
    }
  })

  const invalid = [
    { field_type: 9, name: 'x' },
    { field_type: 1 },
    { field_type: 1, name: 'x'.repeat(41) },
    { field_type: 1, name: 'x', hint: 'x'.repeat(81) },
    { field_type: 1, name: 'taken' },
    { field_type: 3, name: 'x' },
    { field_type: 3, name: 'x', field_data: {} },
    { field_type: 3, name: 'x', field_data: { '': { text: 'a', order: '1' } } },
    { field_type: 3, name: 'x', field_data: { a: { text: 'a', order: '1' }, b: { text: 'a', order: '2' } } },
    { field_type: 7, field_data: { subtype: 'myspace' } },
    { field_type: 7, name: 'x', field_data: { subtype: 'custom' } },
    { field_type: 7, name: 'x', field_data: { subtype: 'custom', url_pattern: 'javascript:%(username)s' } },
    { field_type: 7, name: 'x', field_data: { subtype: 'custom', url_pattern: 'https://x.example/' } },
    { field_type: 6, name: 'x', display_in_profile_summary: true },
    { field_type: 1, name: 'x', display_in_profile_summary: true },
  ]

  it('are not made of what is invalid, taken, or too much', async () => {
    for (const name of ['Taken', 'Shown'])
      await ask({ field_type: 1, name, display_in_profile_summary: true })
    await told()
    for (const wishes of invalid) {
      await expect(ask(wishes), JSON.stringify(wishes)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    expect(await told()).toEqual([])
  })

  it('of a site that the server knows keep their name, hint and site', async () => {
    const account = await ask({ field_type: 7, field_data: { subtype: 'github' } })
    const change = (wishes: Record<string, string>) =>
      room.call(updateProfileField, people.administrator, wishes, path(account))
    for (const wishes of [
      { name: 'Forge' },
      { hint: 'Your name there' },
      { field_data: '{"subtype":"twitter"}' },
      { field_data: '{"subtype":"custom","url_pattern":"https://x.example/%(username)s"}' },
    ]) {
      await expect(change(wishes), JSON.stringify(wishes)).rejects.toMatchObject({
        message: 'Default custom field cannot be updated.',
      })
    }
    await told()
    const same = { name: 'GitHub', hint: 'Enter your GitHub username', field_data: '{"subtype":"github"}' }
    await change({ ...same, display_in_profile_summary: 'true', use_for_user_matching: 'true' })
    expect((await told())[0]![1]).toMatchObject([
      { id: account, display_in_profile_summary: true, use_for_user_matching: true },
    ])
    await ask({ field_type: 2, name: 'About', display_in_profile_summary: true })
  })

  it('are administrators’ to change', async () => {
    const id = await ask({ field_type: 1, name: 'Phone' })
    for (const role of ['moderator', 'member', 'guest'] as const) {
      const caller = people[role]
      for (const attempt of [
        () => room.call(createProfileField, caller, { field_type: '1', name: 'x' }),
        () => room.call(updateProfileField, caller, { name: 'x' }, path(id)),
        () => room.call(reorderProfileFields, caller, { order: `[${id}]` }),
        () => room.call(removeProfileField, caller, {}, path(id)),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ error: 'UNAUTHORIZED_PRINCIPAL' })
      }
    }
    const stranger = (await openTestOrganization(room)).people.administrator
    for (const attempt of [
      () => room.call(updateProfileField, stranger, { name: 'x' }, path(id)),
      () => room.call(removeProfileField, stranger, {}, path(id)),
      () => room.call(updateOwnProfile, stranger, { data: `[{"id":${id},"value":"x"}]` }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ message: `Field id ${id} not found.` })
    }
  })
})

describe('what people say of themselves', () => {
  it('is checked by kind, rendered where it is Markdown, and told to everyone', async () => {
    const fields: number[] = []
    for (const field_type of [1, 2, 4, 5, 6, 8])
      fields.push(await ask({ field_type, name: `f${field_type}` }))
    const option = { only: { text: 'Only', order: '1' } }
    fields.push(await ask({ field_type: 3, name: 'f3', field_data: option }))
    fields.push(await ask({ field_type: 7, field_data: { subtype: 'github' } }))
    const [short, long, date, link, users, pronouns, list, account] = fields as [number, ...number[]]
    await told()
    const { member, guest } = people
    const user_id = member.user.id
    await say(
      member,
      { id: short, value: '**hi** <b>' },
      { id: users!, value: [guest.user.id] },
      { id: list!, value: 'only' },
      { id: date!, value: '2024-02-29' },
    )
    const rendered_value = '<p><strong>hi</strong> &lt;b&gt;</p>'
    const events = await told()
    expect(events).toHaveLength(4)
    expect(events).toContainEqual([
      true,
      { user_id, custom_profile_field: { id: short, value: '**hi** <b>', rendered_value } },
    ])
    expect(events).toContainEqual([
      true,
      { user_id, custom_profile_field: { id: users, value: `[${guest.user.id}]` } },
    ])
    expect(await profileOf(user_id)).toEqual({
      [short]: { value: '**hi** <b>', rendered_value },
      [users!]: { value: `[${guest.user.id}]` },
      [list!]: { value: 'only' },
      [date!]: { value: '2024-02-29' },
    })
    await say(member, { id: list!, value: 'only' })
    expect(await told()).toEqual([])
    const { user_id: bot } = await room.call(createBot, member, { full_name: 'B', short_name: 'b' })
    const stranger = (await openTestOrganization(room)).people.member.user.id
    const wrong: [number | undefined, unknown][] = [
      [short, 'x'.repeat(51)],
      [short, [1]],
      [long, 'x'.repeat(501)],
      [date, '2023-02-29'],
      [date, 'tomorrow'],
      [link, 'example.com'],
      [link, 'javascript:alert(1)'],
      [users, 'guest'],
      [users, [999_999]],
      [users, [bot]],
      [users, [stranger]],
      [list, 'other'],
      [account, 'x'.repeat(51)],
      [pronouns, 'x'.repeat(51)],
      [999_999, 'x'],
    ]
    await told()
    for (const [id, value] of wrong) {
      const attempt = say(member, { id: date!, value: '2024-01-01' }, { id: id!, value })
      await expect(attempt, JSON.stringify(value)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    expect(await told()).toEqual([])
    expect((await profileOf(user_id))![date!]).toEqual({ value: '2024-02-29' })

    await say(member, { id: list!, value: null }, { id: users!, value: [] })
    await room.call(removeOwnProfile, member, { data: `[${short}]` })
    expect((await told()).map(([, person]) => person.custom_profile_field.value)).toEqual([null, null, null])
    expect(await profileOf(user_id)).toEqual({ [date!]: { value: '2024-02-29' } })
  })

  it('is an administrator’s to say where the field is not for people, and of nobody elsewhere', async () => {
    const id = await ask({ field_type: 1, name: 'Desk', editable_by_user: false })
    const { member, administrator } = people
    await expect(say(member, { id, value: 'x' })).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(room.call(removeOwnProfile, member, { data: `[${id}]` })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
    const profile_data = JSON.stringify([{ id, value: 'A 12' }])
    await room.call(updateUser, administrator, { profile_data }, { user_id: String(member.user.id) })
    expect(await profileOf(member.user.id)).toMatchObject({ [id]: { value: 'A 12' } })
    const { members } = await room.call(listUsers, people.guest, { include_custom_profile_fields: 'true' })
    expect(members.find(({ user_id }) => user_id === member.user.id)!.profile_data).toMatchObject({
      [id]: { value: 'A 12' },
    })
    const { members: plain } = await room.call(listUsers, people.guest)
    expect(plain.every((user) => user.profile_data === undefined)).toBe(true)
  })

  it('goes with an option, a field, or the account', async () => {
    const field_data = { a: { text: 'A', order: '1' }, b: { text: 'B', order: '2' } }
    const id = await ask({ field_type: 3, name: 'Letter', field_data })
    const other = await ask({ field_type: 1, name: 'Other' })
    const { member, guest, administrator } = people
    await say(member, { id, value: 'a' }, { id: other, value: 'o' })
    await say(guest, { id, value: 'b' })
    await told()
    const changed = { field_data: JSON.stringify({ b: field_data.b }) }
    await room.call(updateProfileField, administrator, changed, path(id))
    expect((await told())[0]).toEqual([
      true,
      { user_id: member.user.id, custom_profile_field: { id, value: null } },
    ])
    expect(await profileOf(guest.user.id)).toEqual({ [id]: { value: 'b' } })
    await room.call(removeProfileField, administrator, {}, path(id))
    expect(await profileOf(guest.user.id)).toEqual({})
    expect((await profileOf(member.user.id))![other]).toBeDefined()
    await room.call(
      endUser,
      administrator,
      { actions: '{"delete_profile":true}' },
      { user_id: String(member.user.id) },
    )
    expect(await profileOf(member.user.id)).toEqual({})
  })
})
