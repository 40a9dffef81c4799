import { wholeFields } from '@parley/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createChannel } from './channels/create-channel.ts'
import { service } from './service.ts'
import { openTestRoom, type TestRoom } from './test-room.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

it('every section of a registration is read in one snapshot, and has the declared form', async () => {
  const caller = await room.person('owner')
  await room.call(createChannel, caller, {
    name: 'one',
    subscribers: [caller.user.id],
    is_default_stream: true,
  })
  const sections = Object.values(service.sections)
  await room.deps.database.snapshot(async (sql, snapshot) => {
    for (const { section, read } of sections) {
      for (const include_subscribers of [false, true, 'partial']) {
        const options = { include_subscribers, client_gravatar: true } as never
        const state = await wholeFields(
          await read({ caller, options, sql, snapshot, deps: room.deps } as never),
        )
        const fields = z.strictObject((section as { fields: z.ZodRawShape }).fields)
        expect(fields.safeParse(state).error?.message, section.name).toBeUndefined()
      }
    }
  })
})
