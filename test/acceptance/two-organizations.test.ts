/**
 * Two organizations with the same things in them. Whoever is the owner of one names things of the other, in every place of
 * every endpoint that takes a name: each answer is the one for what does not exist, and nothing of the other one changes.
 */
import { type AnyEndpoint, contracts, pathParameters, servedRoot } from '@parley/contracts'
import { EventReader, encodeParameters, type Parameters, succeeded } from '@parley/testkit'
import { beforeAll, expect, it } from 'vitest'
import type { z } from 'zod'
import { type Furnished, furnishedOrganization } from './furnished-organization.ts'

let here: Furnished
let there: Furnished
beforeAll(async () => {
  ;[here, there] = [await furnishedOrganization(), await furnishedOrganization()]
})

/** What parameters take that name nothing. */
const plain: Readonly<Record<string, unknown>> = {
  add: [],
  alert_words: ['word'],
  anchor: 'newest',
  content: 'text',
  data: [],
  draft: { type: 'direct', to: [], topic: '', content: 'x', timestamp: 1_700_000_000 },
  emoji_name: 'tada',
  flag: 'starred',
  full_name: 'Somebody',
  invitee_emails: 'new@elsewhere.example',
  msg_type: 'widget',
  name: 'name',
  narrow: [],
  num_after: 0,
  num_before: 1,
  op: 'add',
  report_type: 'spam',
  scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 86_400,
  short_name: 'short',
  status_text: 'here',
  stream_names: ['open'],
  subscriptions: ['open'],
  topic: 'plans',
  topic_name: 'plans',
  type: 'direct',
  visibility_policy: 1,
}
/** What an endpoint needs beside what is declared as needed. */
const companions: Readonly<Record<string, Parameters>> = {
  addSubscriptions: { subscriptions: [{ name: 'open' }] },
  sendTyping: { type: 'direct' },
  updateChannel: { description: 'new' },
  updateMessage: { content: 'new' },
  updateMutedTopic: { op: 'add' },
  updateUserGroupMembers: { add: [] },
}
/** What does not exist anywhere, in the form of what does. */
const nobodys = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => nobodys(one, name))
  if (typeof value === 'number') return 2_000_000_123
  if (/^\d+$/.test(String(value))) return '2000000123'
  return String(value)
    .replaceAll(/[a-z](?=[a-z]*@)/g, 'x')
    .replaceAll(/[0-9a-f]{2}(?=[0-9a-f-]*$)/g, '00')
}

const ask = async (endpoint: AnyEndpoint, values: Parameters): Promise<string> => {
  const inPath = pathParameters(endpoint.path)
  const path = inPath.reduce(
    (text, name) => text.replace(new RegExp(`\\{${name}\\*?\\}`), String(values[name] ?? 'x')),
    endpoint.path as string,
  )
  const others = encodeParameters(
    Object.fromEntries(Object.entries(values).filter(([name]) => !inPath.includes(name))),
  )
  const isRead = endpoint.method === 'GET' || endpoint.method === 'HEAD'
  const target = `${servedRoot(endpoint)}${path}${isRead && others !== '' ? `?${others}` : ''}`
  const answer = await here.owner.sendRaw(endpoint.method, target, isRead ? undefined : others, {
    ...(isRead ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  })
  return `${answer.status} ${answer.text}`
}

/** Where an address is one that somebody wants to have, and no name of anybody. */
const wantsAddress = (operation: string, name: string): boolean =>
  name === 'email' && operation !== 'getUserByEmail' && operation !== 'updateUserByEmail'

/** Endpoints that would end what the test stands on. */
const leftOut = new Set(['deactivateRealm', 'endOwnUser', 'regenerateOwnApiKey', 'endOtherSessions'])

it('whoever names what belongs to another organization is told what is told of nothing', {
  timeout: 120_000,
}, async () => {
  const all = { event_types: null, client_capabilities: { notification_settings_null: true } }
  const watcher = await EventReader.register(there.owner, { ...all, all_public_streams: true })
  const before = (await EventReader.register(there.owner, all)).state

  const told: string[] = []
  /** Pairs whose refusal says nothing about the thing named. */
  const vacuous: string[] = []
  let pairs = 0
  for (const { endpoints } of Object.values(contracts)) {
    for (const [operation, endpoint] of Object.entries(endpoints as Record<string, AnyEndpoint>)) {
      if (leftOut.has(operation) || endpoint.doors === 'session' || endpoint.body === 'stream') continue
      const params = endpoint.params as Record<string, z.ZodType>
      const needed = Object.entries(params).filter(([, schema]) => !schema.safeParse(undefined).success)
      const ours = Object.fromEntries(
        needed.map(([name]) => [name, here.ids[name] ?? plain[name] ?? 'x']),
      ) as Parameters
      for (const name of Object.keys(params).filter((one) => there.ids[one] !== undefined)) {
        if (wantsAddress(operation, name)) continue
        pairs += 1
        const values = { ...ours, ...companions[operation] }
        // Nothing first: a refusal of what is not there changes nothing for the second question.
        const nothing = nobodys(there.ids[name], name)
        const ofNothing = await ask(endpoint, { ...values, [name]: nothing })
        const ofTheirs = await ask(endpoint, { ...values, [name]: there.ids[name] })
        /** Without the names, and of a success without its own numbers. */
        const bare = (text: string, value: unknown) => {
          const rest = [value]
            .flat()
            .reduce(
              (left: string, one) => left.replaceAll(new RegExp(`(?<!\\w)${one}(?!\\w)`, 'g'), '*'),
              text,
            )
          return rest.startsWith('200') ? rest.replaceAll(/\d+/g, '#') : rest
        }
        const line = `${operation}(${name})`
        if (bare(ofTheirs, there.ids[name]) !== bare(ofNothing, nothing))
          told.push(`${line}: nothing: ${ofNothing.slice(0, 200)} | theirs: ${ofTheirs.slice(0, 200)}`)
        // Of what refuses the form of the call nothing is learnt.
        if (/REQUEST_VARIABLE_MISSING|INVALID_JSON|argument|is not|must be specified/.test(ofTheirs))
          vacuous.push(line)
      }
    }
  }
  expect(told).toEqual([])
  // It is refused before anything is looked for.
  expect(vacuous).toEqual(['reportMessage(message_id)'])
  expect(pairs).toBeGreaterThan(100)

  const { queue_id: _, last_event_id: __, ...after } = (await EventReader.register(there.owner, all)).state
  const end = await succeeded(
    there.owner.post('/messages', { type: 'direct', to: [there.owner.id], content: 'end' }),
  )
  const heard = await watcher.until((event) => event.type === 'message' && event.message.id === end.id)
  expect(heard.map(({ type, op }) => [type, op])).toEqual([['message', undefined]])
  const { queue_id: ___, last_event_id: ____, ...was } = before
  const lasting = ({
    presences,
    unread_msgs,
    max_message_id,
    server_timestamp,
    ...rest
  }: Record<string, unknown>) => rest
  expect(lasting(after)).toEqual(lasting(was))
})
