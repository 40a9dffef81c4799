/**
 * The floor: the least that a server in this language can do for the same work, the same requests and the same events. One
 * Fastify process, one Redis pub/sub hop, long-polls, nothing stored, nobody checked. Prints where it listens.
 */
import { parse } from 'node:querystring'
import Fastify, { type FastifyReply } from 'fastify'
import { Redis } from 'ioredis'

interface Queue {
  readonly id: string
  /** Events, as JSON, that no poll has taken yet. */
  events: string[]
  poll: FastifyReply | undefined
}

const url = process.env.REDIS_URL ?? ''
const publisher = new Redis(url)
const subscriber = new Redis(url)
const queues = new Map<string, Queue>()
const channels = new Map<string, Set<Queue>>()
let messages = 0
let events = 0

/** Answers the poll of a queue, where there is one, with what there is. */
const answer = (queue: Queue): void => {
  if (queue.poll === undefined || queue.events.length === 0) return
  const { poll } = queue
  const body = `{"result":"success","msg":"","events":[${queue.events.join(',')}],"queue_id":"${queue.id}"}`
  queue.poll = undefined
  queue.events = []
  void poll.type('application/json').send(body)
}

await subscriber.psubscribe('floor:*')
subscriber.on('pmessage', (_pattern, channel, event) => {
  events += 1
  const numbered = `${event.slice(0, -1)},"id":${events}}`
  for (const queue of channels.get(channel) ?? []) {
    queue.events.push(numbered)
    answer(queue)
  }
})

/** Everything that Parley tells of a message, for as much to write, send and parse. */
const messageEvent = (form: Record<string, string>, id: number): string =>
  JSON.stringify({
    type: 'message',
    message: {
      id,
      timestamp: Math.floor(Date.now() / 1000),
      type: 'stream',
      stream_id: 12,
      subject: form.topic,
      display_recipient: form.to,
      recipient_id: 34,
      topic_links: [],
      sender_id: 56,
      sender_full_name: 'Somebody who sends',
      sender_email: 'user56@floor.example',
      sender_realm_str: 'floor',
      avatar_url: null,
      client: 'undici',
      content: form.content,
      content_type: 'text/x-markdown',
      is_me_message: false,
      reactions: [],
      submessages: [],
    },
    flags: [],
  })

const server = Fastify()
server.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  (_request, text, done) => done(null, parse(text as string)),
)
server.post<{ Body: Record<string, string> }>('/api/v1/messages', async ({ body }) => {
  messages += 1
  await publisher.publish(`floor:${body.to}`, messageEvent(body, messages))
  return { result: 'success', msg: '', id: messages }
})
server.post('/api/v1/register', async ({ headers }) => {
  const credentials = Buffer.from((headers.authorization ?? '').slice('Basic '.length), 'base64').toString()
  const channel = `floor:${credentials.slice(0, credentials.lastIndexOf(':'))}`
  const queue: Queue = { id: String(queues.size), events: [], poll: undefined }
  queues.set(queue.id, queue)
  const members = channels.get(channel) ?? new Set()
  channels.set(channel, members.add(queue))
  return { result: 'success', msg: '', queue_id: queue.id, last_event_id: -1 }
})
server.get<{ Querystring: { queue_id: string } }>('/api/v1/events', ({ query }, reply) => {
  const queue = queues.get(query.queue_id)!
  queue.poll = reply
  answer(queue)
})
server.delete<{ Body: { queue_id: string } }>('/api/v1/events', async ({ body }) => {
  const queue = queues.get(body.queue_id)!
  for (const members of channels.values()) members.delete(queue)
  return { result: 'success', msg: '' }
})
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))
