import { succeeded, type TestUser, type World } from '@parley/testkit'
import { comesTrue, PatientReader } from '../../faults/patient.ts'
import { Part } from './part.ts'

/** Edits of one message; the next ones are of another, so that no history grows without end. */
const editsOfEach = 50

interface Edited {
  readonly author: TestUser
  readonly id: number
  /** Numbers of edits that were acknowledged at the first try. */
  readonly certain: number[]
  /** Numbers of edits that were tried more than once: a try that was answered by nothing may be carried out late. */
  readonly repeated: Set<number>
}

const numberIn = (content: string): number => Number(/edit (\d+)/.exec(content)?.[1])
const all = ({ certain, repeated }: Edited): number[] => [...certain, ...repeated]

/** People who edit messages of theirs again and again, and one who watches. */
export class Editors extends Part {
  readonly #messages: Edited[] = []
  /** What the watcher was told of each message, in order. */
  readonly #told = new Map<number, number[]>()
  readonly #watcher: PatientReader

  private constructor(watcher: TestUser) {
    super()
    this.#watcher = new PatientReader(watcher, (event) => {
      if (event.type !== 'update_message' || event.content === undefined) return
      const told = this.#toldOf(event.message_id)
      told.push(numberIn(event.content))
    })
  }

  static async start(world: World, count: number): Promise<Editors> {
    const people: TestUser[] = []
    for (let n = 0; n <= count; n += 1) people.push(await world.user())
    const [watcher, ...authors] = people
    const subscriptions = [{ name: 'edits' }]
    const principals = people.map(({ id }) => id)
    await succeeded(watcher!.post('/users/me/subscriptions', { subscriptions, principals }))
    const part = new Editors(watcher!)
    await part.#watcher.start({
      event_types: ['update_message'],
      fetch_event_types: ['message'],
      apply_markdown: false,
    })
    part.goOn(...authors.map((author) => part.#edit(author)))
    return part
  }

  #toldOf(id: number): number[] {
    const told = this.#told.get(id) ?? []
    this.#told.set(id, told)
    return told
  }

  async #edit(author: TestUser): Promise<void> {
    while (!this.isOver) {
      const wish = { type: 'channel', to: 'edits', topic: 'edits', content: 'edit 0' }
      const { body } = await this.do('write', () => author.post('/messages', wish))
      const message: Edited = { author, id: body.id, certain: [], repeated: new Set() }
      this.#messages.push(message)
      for (let n = 1; n <= editsOfEach && !this.isOver; n += 1) {
        const content = `edit ${n}`
        const { failed } = await this.do('edit', () => author.patch(`/messages/${body.id}`, { content }))
        if (failed) message.repeated.add(n)
        else message.certain.push(n)
        this.done += 1
        await this.rest(150)
      }
    }
  }

  protected async compare(seconds: number): Promise<void> {
    await comesTrue(
      () =>
        this.#messages.every((message) => all(message).every((n) => this.#toldOf(message.id).includes(n))),
      seconds,
    )
    for (const message of this.#messages) {
      const { author, id, certain, repeated } = message
      const told = this.#toldOf(id)
      const lost = all(message).filter((n) => !told.includes(n))
      if (lost.length > 0) this.problems.push(`edits ${lost.slice(0, 10)} of ${id} were never told`)
      const plain = told.filter((n) => !repeated.has(n))
      if (plain.some((n, place) => place > 0 && n <= plain[place - 1]!))
        this.problems.push(`edits of ${id} came twice or out of order: ${plain.join(' ').slice(0, 300)}`)
      const strange = plain.filter((n) => !certain.includes(n))
      if (strange.length > 0) this.problems.push(`edits ${strange} of ${id} were told and never made`)
      const { body } = await this.do('read', () => author.get(`/messages/${id}`, { apply_markdown: false }))
      if (numberIn(body.message.content) !== (told.at(-1) ?? 0))
        this.problems.push(`${id} is "${body.message.content}" and was last told as edit ${told.at(-1)}`)
    }
    this.#watcher.stop()
    this.problems.push(...this.#watcher.problems)
    this.failures.push(...this.#watcher.failures)
  }
}
