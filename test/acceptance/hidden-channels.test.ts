/**
 * A channel that somebody may not know of is answered to the letter like one that does not exist, by every endpoint that
 * takes the ID or the name of one; so is one of another organization.
 */
import { type AnyEndpoint, contracts, pathParameters } from '@parley/contracts'
import { type Answer, type Client, succeeded, type TestUser, World } from '@parley/testkit'
import { expect, it } from 'vitest'

/** How a channel is named in a request: by its ID or its name. */
interface Place {
  readonly id: number
  readonly name: string
}

type Ask = (client: Client, place: Place, more: { readonly messageId: number }) => Promise<Answer>

/** Endpoints that take `stream_id`, with whatever else they need. */
const rest: Record<string, Record<string, unknown>> = {
  getChannel: {},
  updateChannel: { description: 'changed' },
  archiveChannel: {},
  listChannelMembers: {},
  getChannelEmail: {},
  listChannelTopics: {},
  deleteTopic: { topic_name: 'x' },
  getSubscriptionStatus: {},
  addDefaultChannel: {},
  removeDefaultChannel: {},
  updateUserTopic: { topic: 'x', visibility_policy: 1 },
  updateMutedTopic: { topic: 'x', op: 'add' },
  markStreamAsRead: {},
  markTopicAsRead: { topic_name: 'x' },
  updateMessage: {},
  updateSubscriptionProperty: { property: 'is_muted', value: true },
}

const endpoints = contracts.channels.endpoints as Record<string, AnyEndpoint>
const byStreamId = Object.entries(endpoints).filter(([, { params }]) => 'stream_id' in params)

const asked = async (
  client: TestUser,
  [name, endpoint]: [string, AnyEndpoint],
  place: Place,
  messageId: number,
): Promise<Answer> => {
  const values: Record<string, unknown> = {
    ...{ stream_id: place.id, user_id: client.id, message_id: messageId },
  }
  const path = pathParameters(endpoint.path).reduce(
    (made, parameter) => made.replace(`{${parameter}}`, String(values[parameter])),
    endpoint.path,
  )
  const sent = { ...(endpoint.path.includes('{stream_id}') ? {} : { stream_id: place.id }), ...rest[name] }
  switch (endpoint.method) {
    case 'GET':
      return client.get(path, sent)
    case 'DELETE':
      return client.delete(path, sent)
    case 'PATCH':
      return client.patch(path, sent)
    default:
      return client.post(path, sent)
  }
}

const byOtherNames: Record<string, Ask> = {
  'GET /get_stream_id': (client, { name }) => client.get('/get_stream_id', { stream: name }),
  'DELETE /users/me/subscriptions': (client, { name }) =>
    client.delete('/users/me/subscriptions', { subscriptions: [name] }),
  'muted_topics by name': (client, { name }) =>
    client.patch('/users/me/subscriptions/muted_topics', { stream: name, topic: 'x', op: 'add' }),
  'subscription properties': (client, { id }) =>
    client.post('/users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: id, property: 'is_muted', value: true }],
    }),
  'send by ID': (client, { id }) =>
    client.post('/messages', { type: 'channel', to: id, topic: 'x', content: 'x' }),
  'send by name': (client, { name }) =>
    client.post('/messages', { type: 'channel', to: name, topic: 'x', content: 'x' }),
  'schedule by ID': (client, { id }) =>
    client.post('/scheduled_messages', {
      ...{ type: 'channel', to: id, topic: 'x', content: 'x', scheduled_delivery_timestamp: 4_000_000_000 },
    }),
  'narrow by ID': (client, { id }) => narrowed(client, id),
  'narrow by name': (client, { name }) => narrowed(client, name),
  typing: (client, { id }) =>
    client.post('/typing', { type: 'channel', op: 'start', stream_id: id, topic: 'x' }),
}

const narrowed = (client: Client, operand: unknown) =>
  client.get('/messages', {
    ...{ anchor: 'newest', num_before: 5, num_after: 0, narrow: [{ operator: 'channel', operand }] },
  })

/** An answer without what differs because the question did (the status stays: an ID may look like one). */
const bare = ({ status, body }: Answer, { id, name }: Place): string =>
  `${status} ${JSON.stringify(body)
    .replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
    .replaceAll(name, 'NAME')}`

it('answers for hidden channels as for none', async () => {
  const [world, other] = await Promise.all([World.create(), World.create()])
  const [owner, member, guest, foreigner] = await Promise.all([
    world.user({ role: 'owner' }),
    world.user(),
    world.user({ role: 'guest' }),
    other.user({ role: 'owner' }),
  ])
  const create = async (name: string, more: object): Promise<Place> => {
    const sent = { name, subscribers: [owner.id], ...more }
    return { id: (await succeeded(owner.post('/channels/create', sent))).id, name }
  }
  const open = await create('open to members', {})
  const closed = await create('closed to others', { invite_only: true })
  const none: Place = { id: 2_147_483_000, name: 'there is no such' }
  const outsiders: [TestUser, Place[]][] = [
    [member, [closed]],
    [guest, [open, closed]],
    [foreigner, [open, closed]],
  ]
  expect(byStreamId.map(([name]) => name).toSorted()).toEqual(Object.keys(rest).toSorted())

  const wrong: string[] = []
  const compare = async (
    who: string,
    what: string,
    hidden: Place,
    ask: (place: Place) => Promise<Answer>,
  ) => {
    const [seen, expected] = [bare(await ask(hidden), hidden), bare(await ask(none), none)]
    const isRefusal = what.startsWith('narrow') || expected.startsWith('4')
    if (seen !== expected || !isRefusal)
      wrong.push(`${what} of ${hidden.name} by ${who}: ${seen}, not ${expected}`)
  }
  for (const [client, places] of outsiders) {
    const own = await succeeded(client.post('/messages', { type: 'direct', to: [client.id], content: 'own' }))
    const who = client === member ? 'member' : client === guest ? 'guest' : 'foreigner'
    for (const hidden of places) {
      await Promise.all([
        ...byStreamId.map((row) =>
          compare(who, row[0], hidden, (place) => asked(client, row, place, own.id)),
        ),
        ...Object.entries(byOtherNames).map(([what, ask]) =>
          compare(who, what, hidden, (place) => ask(client, place, { messageId: own.id })),
        ),
      ])
    }
  }
  expect(wrong).toEqual([])
  // Nobody has changed anything on the way.
  const { stream } = await succeeded(owner.get(`/streams/${closed.id}`))
  expect(stream).toMatchObject({ description: '', is_archived: false, subscriber_count: 1 })
})
