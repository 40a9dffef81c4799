import type { KnownCaller } from '@parley/contracts'
import { savedSnippetsAdd, savedSnippetsUpdate } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createSavedSnippet } from './create-saved-snippet.ts'
import { deleteSavedSnippet } from './delete-saved-snippet.ts'
import { listSavedSnippets } from './list-saved-snippets.ts'
import { savedSnippetsSection } from './saved-snippets-section.ts'
import { updateSavedSnippet } from './update-saved-snippet.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person('guest')
})
afterAll(() => room.close())

const create = (who: KnownCaller, title: string, content: string) =>
  room.call(createSavedSnippet, who, { title, content })
const refusal = async (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => [error.status, error.code, error.message],
  )

it('saved snippets are made, changed and thrown away by their owner, who alone is told', async () => {
  const { saved_snippet_id: id } = await create(anna, '  Greeting ', '\nHello!  ')
  const made = { id, title: 'Greeting', content: 'Hello!', date_created: expect.any(Number) }
  await create(ben, 'Mine', 'Ben’s')
  expect(await room.call(listSavedSnippets, anna)).toEqual({ saved_snippets: [made] })
  await room.call(updateSavedSnippet, anna, { saved_snippet_id: id, title: 'Farewell' })
  await room.call(updateSavedSnippet, anna, { saved_snippet_id: id })
  await room.call(updateSavedSnippet, anna, { saved_snippet_id: id, content: 'Bye!' })
  const state = await room.deps.database.snapshot((sql) =>
    savedSnippetsSection.read({ caller: anna, sql } as never),
  )
  expect(state).toEqual({ saved_snippets: [{ ...made, title: 'Farewell', content: 'Bye!' }] })
  for (const [who, saved_snippet_id] of [
    [ben, id],
    [anna, 999_999],
  ] as const) {
    const absent = [404, 'BAD_REQUEST', 'Saved snippet does not exist.']
    expect(await refusal(room.call(updateSavedSnippet, who, { saved_snippet_id, title: 'x' }))).toEqual(
      absent,
    )
    expect(await refusal(room.call(deleteSavedSnippet, who, { saved_snippet_id }))).toEqual(absent)
  }
  await room.call(deleteSavedSnippet, anna, { saved_snippet_id: id })
  const told = (await room.announced()).filter((row) => row.audience.users[0] === anna.user.id)
  expect(told.every((row) => row.audience.users.length === 1)).toBe(true)
  expect(told.map((row) => row.value)).toEqual([
    { type: 'saved_snippets', op: 'add', saved_snippet: made },
    { type: 'saved_snippets', op: 'update', saved_snippet: { ...made, title: 'Farewell' } },
    { type: 'saved_snippets', op: 'update', saved_snippet: { ...made, title: 'Farewell', content: 'Bye!' } },
    { type: 'saved_snippets', op: 'remove', saved_snippet_id: id },
  ])
  z.strictObject({ type: z.string(), op: z.string(), ...savedSnippetsAdd.fields }).parse(told[0]!.value)
  z.strictObject({ type: z.string(), op: z.string(), ...savedSnippetsUpdate.fields }).parse(told[1]!.value)
})

it('saved snippets have a title and a content of bounded length', async () => {
  const cases: [string, string, unknown][] = [
    ['', 'x', [400, 'BAD_REQUEST', 'Title cannot be empty.']],
    [' ', 'x', [400, 'BAD_REQUEST', 'Title cannot be empty.']],
    ['x', '\n', [400, 'BAD_REQUEST', 'Content cannot be empty.']],
    ['🌴'.repeat(61), 'x', [400, 'BAD_REQUEST', 'title is too long (limit: 60 characters)']],
    ['x', '🌴'.repeat(10_001), [400, 'BAD_REQUEST', 'content is too long (limit: 10000 characters)']],
    ['🌴'.repeat(60), '🌴'.repeat(10_000), 'accepted'],
  ]
  for (const [title, content, expected] of cases) {
    expect(await refusal(create(anna, title, content))).toEqual(expected)
  }
  await room.deps.database.sql`
    INSERT INTO saved_snippets (user_id, title, content)
    SELECT ${anna.user.id}, 'x', 'x' FROM generate_series(1, 999)`
  expect(await refusal(create(anna, 'one', 'too many'))).toEqual([
    400,
    'BAD_REQUEST',
    "You can't have more than 1000 saved snippets.",
  ])
})
