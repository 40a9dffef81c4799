import { succeeded, type TestUser, type World } from '@parley/testkit'
import { comesTrue, PatientReader } from '../../faults/patient.ts'
import { Part } from './part.ts'

/** Milliseconds for which a try that was answered by nothing may still be carried out (a process can be suspended for 3 s). */
const lateness = 15_000

/**
 * Somebody who is let into a private channel and sent out of it, again and again, while somebody speaks there: what is
 * said inside arrives, what is said outside does not, and nobody else in the organization hears any of it.
 */
export class Comers extends Part {
  readonly #inside: number[] = []
  readonly #outside: number[] = []
  readonly #received = new Set<number>()
  readonly #overheard: number[] = []
  /** What the one who comes and goes was told of it. */
  readonly #moves: string[] = []
  #uncertainUntil = 0
  #readers: PatientReader[] = []
  #comer!: TestUser

  static async start(world: World): Promise<Comers> {
    const part = new Comers()
    const owner = await world.user({ role: 'owner' })
    const [comer, outsider] = [await world.user(), await world.user()]
    part.#comer = comer
    const open = { subscriptions: [{ name: 'closed' }], invite_only: true }
    await succeeded(owner.post('/users/me/subscriptions', open))
    const coming = new PatientReader(comer, (event) => {
      if (event.type === 'message') part.#received.add(event.message.id)
      if (event.type === 'subscription' && event.op !== 'update' && !event.op.startsWith('peer'))
        part.#moves.push(event.op)
    })
    const listening = new PatientReader(outsider, (event) => {
      if (event.type === 'message' && event.message.display_recipient === 'closed')
        part.#overheard.push(event.message.id)
    })
    part.#readers = [coming, listening]
    await coming.start({ event_types: ['message', 'subscription'], fetch_event_types: ['message'] })
    await listening.start({
      event_types: ['message'],
      fetch_event_types: ['message'],
      all_public_streams: true,
    })
    part.goOn(part.#comeAndGo(owner, comer.id))
    return part
  }

  async #certainly(what: string, ask: Parameters<Part['do']>[1]) {
    const { body, failed } = await this.do(what, ask)
    if (failed) this.#uncertainUntil = Date.now() + lateness
    this.done += 1
    return body
  }

  async #comeAndGo(owner: TestUser, who: number): Promise<void> {
    const plain = { event_types: ['message'], fetch_event_types: [] }
    const { queue_id } = (await this.do('register', () => owner.post('/register', plain))).body
    const say = async (place: number[], content: string, local_id: string): Promise<void> => {
      const wish = { type: 'channel', to: 'closed', topic: 'doors', content, queue_id, local_id }
      const { id } = await this.#certainly('say', () => owner.post('/messages', wish))
      if (Date.now() > this.#uncertainUntil) place.push(id)
    }
    const wish = { subscriptions: [{ name: 'closed' }], principals: [who], announce: false }
    for (let n = 0; !this.isOver; n += 1) {
      await this.#certainly('let in', () => owner.post('/users/me/subscriptions', wish))
      await say(this.#inside, `inside ${n}`, `in ${n}`)
      await this.#certainly('send out', () =>
        owner.delete('/users/me/subscriptions', { subscriptions: ['closed'], principals: [who] }),
      )
      await say(this.#outside, `outside ${n}`, `out ${n}`)
      await this.rest(100)
    }
  }

  protected async compare(seconds: number): Promise<void> {
    const { body } = await this.do('read', () => this.#comer.get('/users/me/subscriptions'))
    const isIn = body.subscriptions.some(({ name }: { name: string }) => name === 'closed')
    const isTold = () => (this.#moves.at(-1) === 'add') === isIn
    await comesTrue(() => this.#inside.every((id) => this.#received.has(id)) && isTold(), seconds)
    const lost = this.#inside.filter((id) => !this.#received.has(id))
    if (lost.length > 0) this.problems.push(`who was let in never got ${lost.slice(0, 10)} (${lost.length})`)
    const forbidden = this.#outside.filter((id) => this.#received.has(id))
    if (forbidden.length > 0) this.problems.push(`who had been sent out got ${forbidden.slice(0, 10)}`)
    if (this.#overheard.length > 0) this.problems.push(`an outsider got ${this.#overheard.slice(0, 10)}`)
    if (!isTold()) this.problems.push(`the last move told is ${this.#moves.at(-1)}, subscribed is ${isIn}`)
    if (this.#moves.some((move, place) => move !== (place % 2 === 0 ? 'add' : 'remove')))
      this.problems.push(`moves came twice or out of order: ${this.#moves.join(' ').slice(0, 300)}`)
    for (const reader of this.#readers) {
      reader.stop()
      this.problems.push(...reader.problems)
      this.failures.push(...reader.failures)
    }
  }
}
