import { setTimeout as delay } from 'node:timers/promises'
import { SectionOptions, section } from '@parley/contracts'
import type { Database } from '@parley/db'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Pages } from './pages.ts'
import { room } from './room.ts'
import { sectionState } from './section-state.ts'

const snapshot = { xmin: 5, xmax: 9, xip: [7] }
/** How many snapshots are open, and how far the long list was read. */
const seen = { open: 0, pages: 0 }
const database = {
  snapshot: async (work: (sql: unknown, moment: unknown) => Promise<unknown>) => {
    seen.open += 1
    try {
      return await work(undefined, snapshot)
    } finally {
      seen.open -= 1
    }
  },
} as unknown as Database

const items = z.array(z.string())
const declare = (name: string, fields: z.ZodRawShape = { [name]: items }) =>
  section({ service: 'channels', name, fields })
const { section: readSection, pagedSection } = room<object>()
const long = 'é'.repeat(10_000)
const pages = (count: number, breaksAt = -1) =>
  new Pages(async function* () {
    for (let page = 0; page < count; page += 1) {
      if (page === breaksAt) throw new Error('broken')
      seen.pages += 1
      yield [`${page}${long}`, `${page}b`]
    }
  })
const state = sectionState({
  sections: [
    readSection(declare('plain', { a: z.int(), b: z.string().optional() }), async () => ({
      a: 1,
      b: undefined,
      'c"': 'ü\n',
    })),
    pagedSection(declare('none'), async () => ({ none: pages(0) })),
    pagedSection(declare('list'), async () => ({ list: pages(300), after: 2 })),
    pagedSection(declare('texts'), async () => ({
      texts: new Pages(async function* () {
        yield ''
        yield '"a","b"'
        yield []
        yield ['c"']
        yield '"d"'
      }),
    })),
    pagedSection(declare('early'), async () => ({ early: pages(3, 1) })),
    pagedSection(declare('late'), async () => ({ late: pages(300, 200) })),
    readSection(
      declare('spectators'),
      async () => ({ spectators: [] }),
      async () => ({ spectators: ['x'] }),
    ),
  ] as never,
  deps: { database },
  options: SectionOptions,
})
const ask = (sections: string[], user: object | null = { id: 3, role: 400, bot_type: null }) =>
  state({
    caller: { realm: { id: 1, subdomain: '', url: 'http://x.example' }, user, client: 'test' },
    sections,
    options: {
      client_gravatar: true,
      slim_presence: false,
      include_subscribers: false,
      presence_history_limit_days: 0,
      apply_markdown: true,
    },
  })
const read = async (answer: AsyncIterable<Uint8Array>) => {
  const pieces: Uint8Array[] = []
  for await (const piece of answer) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  const end = text.indexOf('\n')
  return { head: JSON.parse(text.slice(0, end)), state: JSON.parse(`{${text.slice(end + 1)}}`) }
}

it('is the snapshot and the fields of the asked sections, in their order, long lists included', async () => {
  const got = await read(await ask(['plain', 'none', 'list']))
  expect(got.head).toEqual({ snapshot })
  expect(Object.keys(got.state)).toEqual(['a', 'c"', 'none', 'list', 'after'])
  expect(got.state).toMatchObject({ a: 1, 'c"': 'ü\n', none: [], after: 2 })
  expect(got.state.list).toHaveLength(600)
  expect(got.state.list[599]).toBe('299b')
  expect((await read(await ask([]))).state).toEqual({})
  expect(seen.open).toBe(0)
})

it('takes pages that are text already as they are', async () => {
  expect((await read(await ask(['texts', 'none']))).state).toEqual({ texts: ['a', 'b', 'c"', 'd'], none: [] })
})

it('leaves out what is not for spectators', async () => {
  expect((await read(await ask(['plain', 'spectators'], null))).state).toEqual({ spectators: ['x'] })
})

it('is made at the pace of its reader, and the snapshot ends with the reader', async () => {
  seen.pages = 0
  const answer = await ask(['list'])
  const reader = answer[Symbol.asyncIterator]()
  await reader.next()
  await delay(50)
  expect(seen.pages).toBeLessThan(100)
  expect(seen.open).toBe(1)
  await reader.return!()
  await delay(50)
  expect(seen).toMatchObject({ open: 0 })
  expect(seen.pages).toBeLessThan(100)
})

it('is refused when it fails early, and breaks off when it fails late', async () => {
  await expect(ask(['early'])).rejects.toThrow('broken')
  await expect(ask(['plain', 'nothing'])).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  await expect(read(await ask(['late']))).rejects.toThrow('broken')
  expect(seen.open).toBe(0)
})
