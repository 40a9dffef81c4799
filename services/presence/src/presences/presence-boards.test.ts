import { seededRandom } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { modernPresences, PresenceBoards } from './presence-boards.ts'
import type { PresenceChange } from './presence-store.ts'

const realm = 7

/** Changes as Redis keeps them: the newest of each user, by ID; and how often they were read. */
class Log {
  readonly #changes = new Map<number, PresenceChange>()
  #last = -1
  readings = 0

  change(userId: number, connected = 1000): number {
    this.#last += 2
    this.#changes.set(userId, { id: this.#last, userId, seen: { active: null, connected } })
    return this.#last
  }

  async changes(_realm: number, after: number, most: number) {
    this.readings += 1
    const sorted = [...this.#changes.values()].sort((one, other) => one.id - other.id)
    return { lastUpdateId: this.#last, changes: sorted.filter(({ id }) => id > after).slice(0, most) }
  }
}

const users = (people: readonly PresenceChange[]) => people.map(({ userId }) => userId)

describe('a board', () => {
  it('says what changed since, each user once, and reads nothing when it is current', async () => {
    const log = new Log()
    const boards = new PresenceBoards(log)
    const first = log.change(1)
    log.change(2)
    const third = log.change(3)
    expect(users(await boards.since(realm, first, third))).toEqual([2, 3])
    expect(users(await boards.since(realm, third, third))).toEqual([])
    expect(log.readings).toBe(1)
    const fourth = log.change(2)
    expect(users(await boards.since(realm, first, fourth))).toEqual([3, 2])
    expect(log.readings).toBe(2)
  })

  it('reads many changes in pieces', async () => {
    const log = new Log()
    const boards = new PresenceBoards(log)
    let last = 0
    for (let user = 1; user <= 2500; user += 1) last = log.change(user)
    expect(await boards.since(realm, -1, last)).toHaveLength(2500)
    expect(log.readings).toBe(3)
  })

  it('serves many who ask at once with one reading, after the one under way', async () => {
    const log = new Log()
    const boards = new PresenceBoards(log)
    const early = boards.since(realm, -1, log.change(1))
    const answers = Array.from({ length: 50 }, (_, user) => boards.since(realm, -1, log.change(user + 2)))
    await early
    for (const [place, answer] of answers.entries()) expect(users(await answer)).toContain(place + 2)
    expect(log.readings).toBeLessThanOrEqual(2)
  })

  it('ends when Redis forgot what was to be waited for', async () => {
    const log = new Log()
    const last = log.change(1)
    expect(users(await new PresenceBoards(log).since(realm, -1, last + 1000))).toEqual([1])
  })

  it('keeps nothing twice for long', async () => {
    const log = new Log()
    const boards = new PresenceBoards(log)
    for (let round = 0; round < 5000; round += 1) await boards.since(realm, -1, log.change(1 + (round % 3)))
    expect(await boards.since(realm, -1, -1)).toHaveLength(3)
  })

  it('goes as far back as asked, and always reads what is newest', async () => {
    const log = new Log()
    const boards = new PresenceBoards(log)
    log.change(1, 100)
    log.change(2, 200)
    expect(users((await boards.all(realm, 150)).people)).toEqual([2])
    const latest = log.change(3, 300)
    expect(await boards.all(realm, 0)).toMatchObject({ latest, people: { length: 3 } })
  })

  it('passes over accounts that ended', async () => {
    const log = new Log()
    const boards = new PresenceBoards(log)
    log.change(1)
    log.change(2)
    await boards.all(realm, 0)
    boards.remove(realm, 1)
    log.change(1)
    expect(users((await boards.all(realm, 0)).people)).toEqual([2])
    boards.restore(1)
    log.change(1)
    expect(users((await boards.all(realm, 0)).people)).toEqual([2, 1])
  })

  it('writes the same as text, whatever changes between, and writes anew only what changed', async () => {
    const log = new Log()
    const boards = new PresenceBoards(log)
    const random = seededRandom(20_261_121)
    const pick = (most: number): number => 1 + Math.floor(random() * most)
    let last = -1
    for (let round = 0; round < 400; round += 1) {
      for (let more = pick(40); more > 0; more -= 1) last = log.change(pick(700), 1000 + pick(500))
      if (round % 7 === 0) boards.remove(realm, pick(700))
      if (round % 11 === 0) for (let user = 1; user <= 700; user += 1) boards.restore(user)
      const [after, since] = [pick(last + 1) - 1, 1000 + (round % 3) * 200]
      const changes = await boards.since(realm, after, last)
      const delta = await boards.textSince(realm, after, last)
      expect(delta.latest).toBe(changes.at(-1)?.id)
      expect(JSON.parse(delta.text)).toEqual(modernPresences(changes))
      const all = await boards.all(realm, since, last)
      const whole = await boards.textOfAll(realm, since, last)
      expect(whole.latest).toBe(all.latest)
      expect(JSON.parse(whole.text)).toEqual(modernPresences(all.people))
    }
  })
})
