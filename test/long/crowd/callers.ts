import { EventReader, type TestUser, type World } from '@parley/testkit'
import { Receiver } from '../../acceptance/receivers/receiver.ts'
import { Part } from './part.ts'

/** Somebody who writes to an outgoing-webhook bot: each message calls it, under one delivery ID. */
export class Callers extends Part {
  readonly #sent: number[] = []
  #receiver!: Receiver

  static async start(world: World): Promise<Callers> {
    const part = new Callers()
    part.#receiver = await Receiver.start()
    const user = await world.user()
    const wish = {
      full_name: 'Hook',
      short_name: 'hook',
      bot_type: 3,
      payload_url: `${part.#receiver.url}/hook`,
    }
    const { body } = await part.do('make a bot', () => user.post('/bots', wish))
    await part.#receiver.say({ body: '{"response_not_required": true}' })
    const { queueId } = await EventReader.register(user, { event_types: ['message'] })
    part.goOn(part.#write(user, body.user_id, queueId))
    return part
  }

  async #write(user: TestUser, bot: number, queue_id: string): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const wish = { type: 'direct', to: [bot], content: `call ${n}`, queue_id, local_id: `${n}` }
      const { body } = await this.do('write', () => user.post('/messages', wish))
      this.#sent.push(body.id)
      this.done += 1
      await this.rest(300)
    }
  }

  protected async compare(seconds: number): Promise<void> {
    const deliveries = new Map<number, Set<string>>()
    const look = async (): Promise<void> => {
      for (const { headers, body } of await this.#receiver.calls('/hook')) {
        const { id } = JSON.parse(body).message
        deliveries.set(id, (deliveries.get(id) ?? new Set()).add(headers['webhook-id']!))
      }
    }
    const deadline = Date.now() + seconds * 1000
    await look()
    while (this.#sent.some((id) => !deliveries.has(id)) && Date.now() < deadline) {
      await this.rest(500)
      await look()
    }
    await this.#receiver.stop()
    const lost = this.#sent.filter((id) => !deliveries.has(id))
    if (lost.length > 0) this.problems.push(`${lost.slice(0, 10)} never called the bot (${lost.length})`)
    const doubled = [...deliveries].filter(([, ids]) => ids.size > 1)
    if (doubled.length > 0) this.problems.push(`${doubled.map(([id]) => id)} went out as several deliveries`)
    const strange = [...deliveries.keys()].filter((id) => !this.#sent.includes(id))
    if (strange.length > 0) this.problems.push(`${strange} called the bot and were never acknowledged`)
  }
}
