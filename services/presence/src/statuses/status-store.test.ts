import { type OwnDatabase, ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveStatus, showStatus, statusesOfRealm } from './status-store.ts'

let own: OwnDatabase
beforeAll(async () => {
  own = await ownDatabase('presence')
})
afterAll(() => own.drop())

const realmId = 7
const save = (userId: number) => saveStatus(own.database.sql, realmId, userId, { status_text: 'here' })
const show = (userId: number, isActive: boolean) =>
  showStatus(own.database.sql, { id: userId, realm_id: realmId, is_active: isActive })
const shown = async () => (await statusesOfRealm(own.database.sql, realmId)).map(({ user_id }) => user_id)

it('a status is shown of active accounts only, whatever is heard first: that one has ended, or its status', async () => {
  await save(1)
  await show(1, false)
  await show(2, false)
  await save(2)
  await save(4)
  await show(4, true)
  expect(await shown()).toEqual([4])
  await show(2, true)
  expect(await shown()).toEqual([2, 4])
})
