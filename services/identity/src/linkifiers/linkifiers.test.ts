import { realmLinkifiers } from '@parley/contracts/identity/events'
import { RealmFact, realmsTopic } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { addLinkifier } from './add-linkifier.ts'
import { addPlayground } from './add-playground.ts'
import { realmLinkifiersSection, realmPlaygroundsSection } from './linkifier-sections.ts'
import { listLinkifiers } from './list-linkifiers.ts'
import { removeLinkifier } from './remove-linkifier.ts'
import { removePlayground } from './remove-playground.ts'
import { reorderLinkifiers } from './reorder-linkifiers.ts'
import { updateLinkifier } from './update-linkifier.ts'

let room: TestRoom
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  people = (await openTestOrganization(room)).people
})

const told = async () => {
  const all = await room.announced()
  return {
    facts: all
      .filter(({ topic }) => topic === realmsTopic.name)
      .map(({ value }) => RealmFact.parse(value).linkifiers),
    events: all
      .filter(({ topic }) => topic === 'client-events')
      .map(({ audience, value }) => [audience.everyone, value]),
  }
}
const issue = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://bugs.example/{id}' }
const add = (sent: Record<string, string>) => room.call(addLinkifier, people.administrator, sent)
const path = (id: number) => ({ filter_id: String(id) })

describe('linkifiers', () => {
  it('are kept in order, and told to everyone and to other services', async () => {
    const { id } = await add({ ...issue, example_input: '#12', reverse_template: '#{id}' })
    const stored = {
      id,
      ...issue,
      example_input: '#12',
      reverse_template: '#{id}',
      alternative_url_templates: [],
    }
    expect(await told()).toEqual({
      facts: [[issue]],
      events: [[true, { type: 'realm_linkifiers', realm_linkifiers: [stored] }]],
    })
    const doc = { pattern: 'doc:(?P<name>\\w+)', url_template: 'https://docs.example/{+name}' }
    const { id: second } = await add({
      ...doc,
      alternative_url_templates: '["https://old.example/{name}"]',
    })
    await room.call(reorderLinkifiers, people.administrator, {
      ordered_linkifier_ids: JSON.stringify([second, id]),
    })
    expect((await told()).facts.at(-1)).toEqual([doc, issue])
    const { linkifiers } = await room.call(listLinkifiers, people.guest)
    expect(linkifiers.map((linkifier) => linkifier.id)).toEqual([second, id])
    const read = (client_capabilities: object) =>
      realmLinkifiersSection.read({
        caller: people.guest,
        sql: room.deps.database.sql,
        options: { client_capabilities },
      } as never)
    expect(await read({ linkifier_url_template: true })).toEqual({ realm_linkifiers: linkifiers })
    expect(await read({ linkifier_url_template: false })).toEqual({ realm_linkifiers: [] })
    const event = { type: 'realm_linkifiers', realm_linkifiers: linkifiers }
    expect(realmLinkifiers.shape!(event, { capabilities: {} } as never)).toEqual([])

    await room.call(
      updateLinkifier,
      people.administrator,
      { example_input: '', reverse_template: '' },
      path(id),
    )
    const changed = (await room.call(listLinkifiers, people.guest)).linkifiers[1]
    expect(changed).toMatchObject({ ...issue, example_input: null, reverse_template: null })
    await room.call(removeLinkifier, people.administrator, {}, path(second))
    expect((await told()).facts.at(-1)).toEqual([issue])
  })

  it('are refused when a text, a link or a short form could not be made of them', async () => {
    await add(issue)
    await told()
    const u = 'https://x.example/'
    const wrong: Record<string, string>[] = [
      { pattern: '', url_template: u },
      { pattern: '(', url_template: u },
      { pattern: '(?=a)b', url_template: u },
      { pattern: '((a{100}){100}){100}', url_template: u },
      { pattern: 'a*', url_template: u },
      { pattern: 'a', url_template: '' },
      { pattern: 'a', url_template: `${u}{` },
      { pattern: 'a(?P<n>b)', url_template: u },
      { pattern: 'a', url_template: `${u}{n}` },
      { ...issue },
      { pattern: 'x'.repeat(1001), url_template: u },
      { pattern: 'b(?P<n>.)', url_template: `${u}{n}`, example_input: 'c1' },
      { pattern: 'b(?P<n>.)', url_template: `${u}{n}`, reverse_template: 'b{n}' },
      { pattern: 'b(?P<n>.)', url_template: `${u}{n}`, example_input: 'b1', reverse_template: 'c{n}' },
      { pattern: 'b(?P<n>.)', url_template: `${u}{n}`, example_input: 'b1', reverse_template: 'b{n' },
      {
        pattern: 'b(?P<n>.)',
        url_template: `${u}{n}`,
        alternative_url_templates: '["https://y.example/{m}"]',
      },
    ]
    for (const sent of wrong) {
      await expect(add(sent), JSON.stringify(sent)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    expect(await told()).toEqual({ facts: [], events: [] })
  })

  it('and playgrounds are administrators’ of the same organization to change', async () => {
    const { id } = await add(issue)
    const wishes = { name: 'Try', pygments_language: 'Rust', url_template: 'https://play.example/?c={code}' }
    const { id: playground } = await room.call(addPlayground, people.administrator, wishes)
    const inPath = { playground_id: String(playground) }
    for (const role of ['moderator', 'member', 'guest'] as const) {
      const caller = people[role]
      for (const attempt of [
        () => room.call(addLinkifier, caller, { ...issue, pattern: 'z' }),
        () => room.call(updateLinkifier, caller, {}, path(id)),
        () => room.call(removeLinkifier, caller, {}, path(id)),
        () => room.call(reorderLinkifiers, caller, { ordered_linkifier_ids: `[${id}]` }),
        () => room.call(addPlayground, caller, { ...wishes, name: 'z' }),
        () => room.call(removePlayground, caller, {}, inPath),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ error: 'UNAUTHORIZED_PRINCIPAL' })
      }
    }
    const stranger = (await openTestOrganization(room)).people.administrator
    for (const attempt of [
      () => room.call(updateLinkifier, stranger, {}, path(id)),
      () => room.call(removeLinkifier, stranger, {}, path(id)),
      () => room.call(reorderLinkifiers, stranger, { ordered_linkifier_ids: `[${id}]` }),
      () => room.call(removePlayground, stranger, {}, inPath),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
  })
})

describe('playgrounds', () => {
  it('are told to everyone', async () => {
    const wishes = { name: 'Try', pygments_language: 'C++', url_template: 'https://play.example/{code}' }
    const { id } = await room.call(addPlayground, people.administrator, wishes)
    const realm_playgrounds = [{ id, ...wishes }]
    expect((await told()).events).toEqual([[true, { type: 'realm_playgrounds', realm_playgrounds }]])
    const state = { caller: people.guest, sql: room.deps.database.sql } as never
    expect(await realmPlaygroundsSection.read(state)).toEqual({ realm_playgrounds })
    for (const change of [
      {},
      { name: ' ' },
      { pygments_language: 'a\n' + '!' },
      { url_template: 'https://play.example/' },
      { url_template: 'https://play.example/{code}{x}' },
      { url_template: 'javascript:{code}' },
    ]) {
      await expect(
        room.call(addPlayground, people.administrator, { ...wishes, ...change }),
      ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    await room.call(removePlayground, people.administrator, {}, { playground_id: String(id) })
    expect((await told()).events).toEqual([[true, { type: 'realm_playgrounds', realm_playgrounds: [] }]])
  })
})
