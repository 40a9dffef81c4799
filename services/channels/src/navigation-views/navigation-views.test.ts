import type { KnownCaller } from '@parley/contracts'
import { navigationViewAdd, navigationViewUpdate } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createNavigationView } from './create-navigation-view.ts'
import { deleteNavigationView } from './delete-navigation-view.ts'
import { listNavigationViews } from './list-navigation-views.ts'
import { navigationViewsSection } from './navigation-views-section.ts'
import { updateNavigationView } from './update-navigation-view.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person('guest')
})
afterAll(() => room.close())

const create = (who: KnownCaller, fragment: string, is_pinned: boolean, name?: string) =>
  room.call(createNavigationView, who, { fragment, is_pinned, ...(name === undefined ? {} : { name }) })
const update = (who: KnownCaller, fragment: string, change: object) =>
  room.call(updateNavigationView, who, { fragment, ...change })
const listed = async (who: KnownCaller) => (await room.call(listNavigationViews, who)).navigation_views
const refusal = async (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => [error.status, error.code, error.message],
  )
const taken = [400, 'BAD_REQUEST', 'Navigation view already exists.']

it('navigation views are their owner’s, who alone is told', async () => {
  const fragment = 'narrow/channel/9-plans/topic/a%2Fb'
  await create(anna, fragment, true, 'Plans')
  await create(anna, 'inbox', false)
  await create(ben, 'inbox', true)
  const views = [
    { fragment, is_pinned: true, name: 'Plans' },
    { fragment: 'inbox', is_pinned: false, name: null },
  ]
  expect(await listed(anna)).toEqual(views)
  const state = await room.deps.database.snapshot((sql) =>
    navigationViewsSection.read({ caller: anna, sql } as never),
  )
  expect(state).toEqual({ navigation_views: views })
  await update(anna, fragment, { is_pinned: false })
  await update(anna, fragment, { name: 'Older plans' })
  await update(anna, fragment, { name: 'Older plans' })
  await update(anna, fragment, {})
  await update(anna, 'inbox', { is_pinned: true })
  expect(await listed(anna)).toEqual([
    { fragment, is_pinned: false, name: 'Older plans' },
    { fragment: 'inbox', is_pinned: true, name: null },
  ])
  await room.call(deleteNavigationView, anna, { fragment })
  const told = (await room.announced()).filter((row) => row.audience.users[0] === anna.user.id)
  const changed = (of: string, data: object) => ({
    type: 'navigation_view',
    op: 'update',
    fragment: of,
    data,
  })
  expect(told.map((row) => row.value)).toEqual([
    { type: 'navigation_view', op: 'add', navigation_view: views[0] },
    { type: 'navigation_view', op: 'add', navigation_view: views[1] },
    changed(fragment, { is_pinned: false }),
    changed(fragment, { name: 'Older plans' }),
    changed(fragment, { name: 'Older plans' }),
    changed('inbox', { is_pinned: true }),
    { type: 'navigation_view', op: 'remove', fragment },
  ])
  z.strictObject({ type: z.string(), op: z.string(), ...navigationViewAdd.fields }).parse(told[0]!.value)
  z.strictObject({ type: z.string(), op: z.string(), ...navigationViewUpdate.fields }).parse(told[2]!.value)
  expect(await listed(ben)).toEqual([{ fragment: 'inbox', is_pinned: true, name: null }])
})

it('navigation views have one fragment and one name each; built-in ones have no name to give', async () => {
  await create(anna, 'narrow/one', true, 'One')
  const noName = [400, 'BAD_REQUEST', 'Custom views must have a valid name.']
  const hasName = [400, 'BAD_REQUEST', 'Built-in views cannot have a custom name.']
  const absent = [404, 'BAD_REQUEST', 'Navigation view does not exist.']
  const cases: [string, () => Promise<unknown>, unknown][] = [
    ['no name', () => create(anna, 'narrow/two', true), noName],
    [
      'an empty name',
      () => create(anna, 'narrow/two', true, ' '),
      [400, 'BAD_REQUEST', 'name cannot be blank'],
    ],
    ['no fragment', () => create(anna, ' ', true, 'Two'), [400, 'BAD_REQUEST', 'fragment cannot be blank']],
    ['a name for a built-in', () => create(anna, 'narrow/is/starred', true, 'Stars'), hasName],
    ['renaming a built-in', () => update(anna, 'inbox', { name: 'In' }), hasName],
    ['the same fragment', () => create(anna, 'narrow/one', false, 'Uno'), taken],
    ['the same name', () => create(anna, 'narrow/two', false, 'One'), taken],
    ['changing none', () => update(anna, 'narrow/nowhere', { is_pinned: true }), absent],
    ['changing another’s', () => update(ben, 'narrow/one', { is_pinned: false }), absent],
    ['removing another’s', () => room.call(deleteNavigationView, ben, { fragment: 'narrow/one' }), absent],
  ]
  for (const [what, call, expected] of cases) expect([what, await refusal(call())]).toEqual([what, expected])
  await create(anna, 'narrow/two', false, 'Two')
  expect(await refusal(update(anna, 'narrow/two', { name: 'One' }))).toEqual(taken)
})

it('navigation views that many requests make at once are made once', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, n) => refusal(create(ben, `narrow/${n}`, true, 'Same'))),
  )
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
  expect((await listed(ben)).filter((view) => view.name === 'Same')).toHaveLength(1)
})
