import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveChannel } from '../channels/archive-channel.ts'
import { createChannel } from '../channels/create-channel.ts'
import { listChannels } from '../channels/list-channels.ts'
import { updateChannel } from '../channels/update-channel.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { addDefaultChannel } from './add-default-channel.ts'
import { createDefaultChannelGroup } from './create-default-channel-group.ts'
import { defaultStreamGroupsSection, defaultStreamsSection } from './default-channel-sections.ts'
import { deleteDefaultChannelGroup } from './delete-default-channel-group.ts'
import { removeDefaultChannel } from './remove-default-channel.ts'
import { updateDefaultChannelGroup } from './update-default-channel-group.ts'
import { updateDefaultChannelGroupMembers } from './update-default-channel-group-members.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let guest: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person()
  guest = await room.person('guest')
})
afterAll(() => room.close())

const create = async (name: string, more: object = {}) =>
  (await room.call(createChannel, admin, { name, subscribers: [admin.user.id], ...more })).id
const state = (caller: KnownCaller) =>
  room.deps.database.snapshot(async (sql, snapshot) => {
    const context = { caller, options: {} as never, sql, snapshot, deps: room.deps }
    return {
      ...(await defaultStreamsSection.read(context)),
      ...(await defaultStreamGroupsSection.read(context)),
    }
  })
const defaultsTold = async () =>
  (await room.announced())
    .filter(({ value }) => value.type === 'default_streams')
    .map(({ value, audience }) => [value.default_streams, audience.users])
const rejects = (work: Promise<unknown>, message: string) =>
  expect(work).rejects.toMatchObject({ error: 'BAD_REQUEST', message })

describe('channels for newcomers', () => {
  it('are public, told to all but guests, and none any more once archived', async () => {
    const one = await create('one', { is_default_stream: true })
    const two = await create('two')
    const closed = await create('closed', { invite_only: true })
    const members = [admin.user.id, anna.user.id]
    expect(await defaultsTold()).toEqual([[[one], members]])
    await room.call(addDefaultChannel, admin, { stream_id: two })
    await room.call(addDefaultChannel, admin, { stream_id: two })
    expect(await defaultsTold()).toEqual([[[one, two], members]])
    await rejects(
      room.call(addDefaultChannel, admin, { stream_id: closed }),
      'Private channels cannot be made default.',
    )
    await rejects(room.call(addDefaultChannel, admin, { stream_id: 999_999 }), 'Invalid channel ID')
    await rejects(
      room.call(updateChannel, admin, { stream_id: one, is_private: true }),
      'A default channel cannot be private.',
    )
    expect(await state(anna)).toMatchObject({ realm_default_streams: [one, two] })
    expect(await state(guest)).toMatchObject({ realm_default_streams: [] })
    const { streams } = await room.call(listChannels, anna, { include_default: true })
    expect(streams.map((stream) => [stream.name, stream.is_default])).toEqual([
      ['one', true],
      ['two', true],
    ])
    await room.call(archiveChannel, admin, { stream_id: one })
    await room.call(removeDefaultChannel, admin, { stream_id: two })
    await room.call(updateChannel, admin, { stream_id: two, is_default_stream: true })
    expect((await defaultsTold()).map(([streams]) => streams)).toEqual([[two], [], [two]])
  })

  it('are told whole, however many change at once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, (_, n) => create(`at once ${n}`)))
    await room.announced()
    await Promise.all(all.map((stream_id) => room.call(addDefaultChannel, admin, { stream_id })))
    const told = await defaultsTold()
    expect(told).toHaveLength(all.length)
    expect(told.at(-1)![0]).toEqual((await state(anna)).realm_default_streams)
    await Promise.all(all.map((stream_id) => room.call(removeDefaultChannel, admin, { stream_id })))
    expect((await defaultsTold()).at(-1)![0]).toEqual((await state(anna)).realm_default_streams)
    const make = (group_name: string) =>
      room.call(createDefaultChannelGroup, admin, { group_name, description: '', stream_names: [] })
    await Promise.all(all.map((id) => make(`set ${id}`)))
    const sets = (await room.announced()).map(({ value }) => value.default_stream_groups)
    const { realm_default_stream_groups } = await state(anna)
    expect(sets.at(-1)).toEqual(realm_default_stream_groups)
    for (const { id } of realm_default_stream_groups) {
      await room.call(deleteDefaultChannelGroup, admin, { group_id: id })
    }
  })

  it('can be taken in named sets', async () => {
    const three = await create('three')
    const four = await create('four')
    await room.announced()
    const make = (group_name: string, stream_names: string[]) =>
      room.call(createDefaultChannelGroup, admin, { group_name, description: 'd', stream_names })
    await make('Set', ['THREE'])
    const group_id = (await state(anna)).realm_default_stream_groups[0]!.id
    await rejects(make('set', []), "Default channel group 'set' already exists")
    await rejects(make('other', ['closed']), "Invalid channel name 'closed'")
    await rejects(make('other', ['two']), "'two' is a default channel and cannot be added to a group")
    const change = (op: string, stream_names: string[]) =>
      room.call(updateDefaultChannelGroupMembers, admin, { group_id, op, stream_names })
    await change('add', ['four'])
    await rejects(change('add', ['four']), "Channel 'four' is already present in default channel group 'Set'")
    await change('remove', ['three'])
    await room.call(updateDefaultChannelGroup, admin, {
      group_id,
      new_group_name: 'Renamed',
      new_description: 'e',
    })
    const rows = await room.announced()
    expect(rows.map(({ value }) => value.default_stream_groups[0].streams)).toEqual([
      [three],
      [three, four],
      [four],
      [four],
    ])
    expect((await state(anna)).realm_default_stream_groups).toEqual([
      { id: group_id, name: 'Renamed', description: 'e', streams: [four] },
    ])
    await make('Second', [])
    await rejects(
      room.call(updateDefaultChannelGroup, admin, { group_id, new_group_name: 'SECOND' }),
      "Default channel group 'SECOND' already exists",
    )
    await rejects(room.call(updateDefaultChannelGroup, admin, { group_id }), expect.any(String) as never)
    await room.call(deleteDefaultChannelGroup, admin, { group_id })
    await rejects(
      room.call(deleteDefaultChannelGroup, admin, { group_id }),
      `Default channel group with id '${group_id}' does not exist.`,
    )
  })
})
