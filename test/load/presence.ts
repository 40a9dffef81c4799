import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { cpuOf, cpuPer } from './process-cpu.ts'

/** Numbers of users online at which the cost of one ping is measured. */
const sizes = [100, 1000, 10_000]
const togetherAtMost = 20

export interface PresenceCost {
  readonly online: number
  readonly kind: string
  /** Users named in an answer, on average. */
  readonly named: number
  /** Microseconds of CPU per ping, by process. */
  readonly cpu: Readonly<Record<string, number>>
}

/** Does `work` for 0 up to `count`, a few at a time. */
const forEach = async (count: number, work: (place: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: togetherAtMost }, worker))
}

/**
 * What a ping costs while more and more users of one organization are online: the CPU time of each process in `pids`, for
 * pings that ask for no answer, for those that ask what changed since the last one, and (the answer itself grows with it)
 * for those that ask for everybody.
 */
export const presenceCosts = async (
  stack: StackAddress,
  pids: Readonly<Record<string, number>>,
  pings: number,
): Promise<PresenceCost[]> => {
  const world = await World.create(stack)
  const users: TestUser[] = []
  const costs: PresenceCost[] = []
  const ping = (place: number, parameters: object) =>
    succeeded(users[place % users.length]!.post('/users/me/presence', { status: 'active', ...parameters }))

  for (const online of sizes) {
    await forEach(online - users.length, async () => users.push(await world.user()))
    await forEach(online, (place) => ping(place, { ping_only: true }))
    const { presence_last_update_id: latest } = await ping(0, { last_update_id: -1 })
    const kinds = {
      'no answer': { ping_only: true },
      'what changed': { last_update_id: latest },
      everybody: { last_update_id: 1 },
    }
    for (const [kind, parameters] of Object.entries(kinds)) {
      const count = kind === 'everybody' ? Math.ceil(pings / 10) : pings
      const before = await cpuOf(pids)
      let named = 0
      await forEach(count, async (place) => {
        const { presences } = await ping(place, parameters)
        named += Object.keys(presences ?? {}).length
      })
      costs.push({ online, kind, named: named / count, cpu: cpuPer(count, before, await cpuOf(pids)) })
    }
  }
  return costs
}
