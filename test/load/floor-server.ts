/**
 * The floor: the least that a server in this language can do for the same work. One Fastify process, one Redis pub/sub
 * hop, long-polls, nothing stored, nobody checked. Prints the port it listens on.
 */
import Fastify from 'fastify'
import { Redis } from 'ioredis'

interface Waiting {
  answer(body: string): void
}

const url = process.env.REDIS_URL ?? ''
const publisher = new Redis(url)
const subscriber = new Redis(url)
const members = new Map<string, Set<string>>()
const pending = new Map<string, string[]>()
const waiting = new Map<string, Waiting>()

const answerBody = (texts: string[]): string =>
  JSON.stringify({
    result: 'success',
    msg: '',
    events: texts.map((text) => ({ type: 'message', content: text })),
  })

await subscriber.psubscribe('floor:*')
subscriber.on('pmessage', (_pattern, channel, text) => {
  for (const receiver of members.get(channel) ?? []) {
    const poll = waiting.get(receiver)
    if (poll === undefined) {
      pending.get(receiver)?.push(text)
    } else {
      waiting.delete(receiver)
      poll.answer(answerBody([text]))
    }
  }
})

const server = Fastify()
server.post<{ Body: { channel: string; content: string } }>('/send', async ({ body }) => {
  await publisher.publish(`floor:${body.channel}`, body.content)
  return { result: 'success', msg: '', id: 1 }
})
server.get<{ Querystring: { channel: string; receiver: string } }>('/events', (request, reply) => {
  const { channel, receiver } = request.query
  const name = `floor:${channel}`
  if (!members.has(name)) members.set(name, new Set())
  members.get(name)!.add(receiver)
  const texts = pending.get(receiver)
  if (texts !== undefined && texts.length > 0) {
    pending.set(receiver, [])
    void reply.type('application/json').send(answerBody(texts))
    return
  }
  pending.set(receiver, [])
  waiting.set(receiver, { answer: (body) => void reply.type('application/json').send(body) })
})
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))
