import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { getChannel } from '../channels/get-channel.ts'
import { updateChannel } from '../channels/update-channel.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { channelFoldersSection } from './channel-folders-section.ts'
import { createChannelFolder } from './create-channel-folder.ts'
import { listChannelFolders } from './list-channel-folders.ts'
import { reorderChannelFolders } from './reorder-channel-folders.ts'
import { updateChannelFolder } from './update-channel-folder.ts'

let room: TestRoom
let admin: KnownCaller
let stranger: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  stranger = { ...admin, realm: { ...admin.realm, id: 8 } }
})
afterAll(() => room.close())

const create = (name: string, description = '') =>
  room.call(createChannelFolder, admin, { name, description })
const update = (id: number, changes: object, by = admin) =>
  room.call(updateChannelFolder, by, { channel_folder_id: id, ...changes })
const list = async (include_archived = false) =>
  (await room.call(listChannelFolders, admin, { include_archived })).channel_folders
const rejects = (work: Promise<unknown>, message: string) =>
  expect(work).rejects.toMatchObject({ error: 'BAD_REQUEST', message })

describe('channel folders', () => {
  it('are made, changed and put in order, and everybody is told', async () => {
    const { channel_folder_id: one } = await create(' Backend ', 'The **inner** parts')
    const { channel_folder_id: two } = await create('Frontend')
    await update(two, { name: 'UI', description: 'x' })
    await update(two, { name: 'UI' })
    await room.call(reorderChannelFolders, admin, { order: [two, one] })
    const rows = await room.announced()
    expect(rows.map(({ value }) => value.op)).toEqual(['add', 'add', 'update', 'reorder'])
    for (const { audience } of rows) expect(audience).toEqual({ realm: room.realm.id, everyone: true })
    expect(rows[2]!.value).toMatchObject({
      channel_folder_id: two,
      data: { name: 'UI', description: 'x', rendered_description: '<p>x</p>' },
    })
    const folders = await list()
    expect(folders).toEqual([
      expect.objectContaining({ id: two, name: 'UI', order: 0, is_archived: false }),
      {
        id: one,
        name: 'Backend',
        description: 'The **inner** parts',
        rendered_description: '<p>The <strong>inner</strong> parts</p>',
        order: 1,
        date_created: expect.any(Number),
        creator_id: admin.user.id,
        is_archived: false,
      },
    ])
    const state = await room.deps.database.snapshot((sql, snapshot) =>
      channelFoldersSection.read({ caller: admin, options: {} as never, sql, snapshot, deps: room.deps }),
    )
    expect(state.channel_folders).toEqual(folders)
  })

  it('have a name of their own, of bounded length, that is text', async () => {
    const taken = 'Channel folder name already in use'
    await rejects(create('BACKEND'), taken)
    const { channel_folder_id: id } = await create('Third')
    await rejects(update(id, { name: 'ui' }), taken)
    await rejects(create('  '), "Channel folder name can't be empty.")
    await rejects(update(id, { name: '' }), "Channel folder name can't be empty.")
    await rejects(create('x'.repeat(61)), 'name is too long (limit: 60 characters)')
    await rejects(create('ok', 'x'.repeat(1025)), 'description is too long (limit: 1024 characters)')
    await create('é'.repeat(60), 'é'.repeat(1024))
    const racers = await Promise.allSettled(Array.from({ length: 5 }, () => create('Raced')))
    expect(racers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('are archived when they are empty, and give their name free', async () => {
    const { channel_folder_id: id } = await create('To go')
    const channel = await room.call(createChannel, admin, { name: 'inside', subscribers: [], folder_id: id })
    expect((await room.call(getChannel, admin, { stream_id: channel.id })).stream.folder_id).toBe(id)
    await rejects(
      update(id, { is_archived: true }),
      'You need to remove all the channels from this folder to archive it.',
    )
    await room.announced()
    await room.call(updateChannel, admin, { stream_id: channel.id, folder_id: null })
    expect((await room.announced())[0]!.value).toMatchObject({ property: 'folder_id', value: null })
    await update(id, { is_archived: true })
    expect((await list()).some((folder) => folder.id === id)).toBe(false)
    expect((await list(true)).find((folder) => folder.id === id)!.is_archived).toBe(true)
    const wish = { name: 'inside too', subscribers: [], folder_id: id }
    await rejects(room.call(createChannel, admin, wish), 'Invalid channel folder ID')
    await rejects(
      room.call(updateChannel, admin, { stream_id: channel.id, folder_id: id }),
      'Invalid channel folder ID',
    )
    await create('to GO')
    await rejects(update(id, { is_archived: false }), 'Channel folder name already in use')
    await update(id, { is_archived: false, name: 'Back' })
    expect((await list()).find((folder) => folder.id === id)!.name).toBe('Back')
  })

  it('are known to their organization alone, and ordered as a whole', async () => {
    const folders = await list(true)
    const ids = folders.map(({ id }) => id)
    await rejects(update(ids[0]!, { name: 'Mine' }, stranger), 'Invalid channel folder ID')
    await rejects(update(999_999, { name: 'Nobody' }), 'Invalid channel folder ID')
    for (const order of [[], ids.slice(1), [...ids, ids[0]!], [...ids.slice(1), 999_999]]) {
      await rejects(room.call(reorderChannelFolders, admin, { order }), 'Invalid order mapping.')
    }
    expect((await room.call(listChannelFolders, stranger)).channel_folders).toEqual([])
  })
})
