import type { TestUser, World } from '@parley/testkit'
import { Part } from './part.ts'

/** Minutes for which an invitation is good: a long run must not have more of them than anybody may have. */
const validity = 5

/** People who ask all services for this and that: whatever is away, an answer is no accident (500), and comes in the end. */
export class Passers extends Part {
  /** When each was made, milliseconds since the epoch. */
  readonly #invited: number[] = []

  static async start(world: World): Promise<Passers> {
    const part = new Passers()
    const owner = await world.user({ role: 'owner' })
    part.goOn(part.#ask(owner))
    return part
  }

  async #ask(user: TestUser): Promise<void> {
    const wishes = [
      () => user.post('/users/me/presence', { status: 'active', slim_presence: true }),
      () => user.post('/users/me/status', { status_text: `at ${Date.now() % 1000}` }),
      () => user.post('/invites/multiuse', { invite_expires_in_minutes: validity }),
      () => user.get('/invites'),
      () => user.get('/users'),
      () => user.get('/messages', { anchor: 'newest', num_before: 20, num_after: 0 }),
      () => user.post('/register', { event_types: ['realm_user'], client_gravatar: true }),
      () => user.patch('/settings', { twenty_four_hour_time: true }),
      () => user.get('/attachments'),
    ]
    for (let n = 0; !this.isOver; n += 1) {
      const { failed, body } = await this.do('ask', wishes[n % wishes.length]!)
      if (!failed && body.invite_link !== undefined) this.#invited.push(Date.now())
      this.done += 1
      await this.rest(100)
    }
    const { body } = await this.do('ask', () => user.get('/invites'))
    // Those that end just now may be there or not.
    const since = Date.now() - (validity - 1) * 60_000
    const made = this.#invited.filter((at) => at > since).length
    if (body.invites.length < made)
      this.problems.push(`${made} invitations are good and ${body.invites.length} are there`)
  }

  protected async compare(): Promise<void> {}
}
