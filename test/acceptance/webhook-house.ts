import {
  type Answer,
  Client,
  eventually,
  type ReceivedEvent,
  succeeded,
  type TestUser,
  World,
} from '@parley/testkit'
import { expect } from 'vitest'
import { Receiver } from './receivers/receiver.ts'

interface HouseBot {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly path: string
  readonly client: Client
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Row = any

/** An organization with outgoing-webhook bots, and the server that they are called at. */
export interface WebhookHouse {
  readonly world: World
  readonly owner: TestUser
  readonly writer: TestUser
  readonly receiver: Receiver
  /** An outgoing-webhook bot of the owner's, called at a path of its own. */
  makeBot(wishes?: { interface_type?: number; payload_url?: string }): Promise<HouseBot>
  sayInChannel(content: string, who?: TestUser): Promise<number>
  sayTo(to: number[], content: string, who?: Client): Promise<number>
  deliveries(bot: { id: number }, filters?: object, who?: Client): Promise<Row[]>
  /** The delivery of a message, once it has come to a state. */
  delivery(bot: { id: number }, messageId: number, state: string): Promise<Row>
  webhook(bot: { id: number }): Promise<Answer['body']>
  stop(): Promise<void>
}

export const isMessageFrom = (bot: { id: number }) => (event: ReceivedEvent) =>
  event.type === 'message' && event.message.sender_id === bot.id

export const webhookHouse = async (): Promise<WebhookHouse> => {
  const receiver = await Receiver.start()
  const world = await World.create()
  const owner = await world.user({ name: 'Olga Owner' })
  const writer = await world.user({ name: 'Willy Writer' })
  await succeeded(
    owner.post('/users/me/subscriptions', {
      subscriptions: [{ name: 'plaza' }],
      principals: [owner.id, writer.id],
    }),
  )
  let made = 0
  const house: WebhookHouse = {
    world,
    owner,
    writer,
    receiver,
    async makeBot(wishes = {}) {
      made += 1
      const path = `/bot${made}`
      const name = `Hook ${made}`
      const bot = await succeeded(
        owner.post('/bots', {
          full_name: name,
          short_name: `hook${made}`,
          bot_type: 3,
          payload_url: `${receiver.url}${path}`,
          ...wishes,
        }),
      )
      const id: number = bot.user_id
      const email = `hook${made}-bot@${world.host.split(':')[0]}`
      const client = new Client(world.stack.origin, world.host, { email, key: bot.api_key })
      // Whoever has written is known by name to all who write afterwards.
      await house.sayTo([owner.id], 'here I am', client)
      return { id, name, email, path, client }
    },
    sayInChannel: async (content, who = writer) =>
      (await succeeded(who.post('/messages', { type: 'stream', to: 'plaza', topic: 'talk', content }))).id,
    sayTo: async (to, content, who = writer) =>
      (await succeeded(who.post('/messages', { type: 'direct', to, content }))).id,
    deliveries: async (bot, filters = {}, who = owner) =>
      (await succeeded(who.get(`/bots/${bot.id}/webhook/deliveries`, { ...filters }))).deliveries,
    delivery: (bot, messageId, state) =>
      eventually(async () => {
        const [found] = await house.deliveries(bot, { message_id: messageId })
        expect(found).toMatchObject({ state })
        return found
      }),
    webhook: async (bot) => (await succeeded(owner.get(`/bots/${bot.id}/webhook`))).webhook,
    stop: () => receiver.stop(),
  }
  return house
}
