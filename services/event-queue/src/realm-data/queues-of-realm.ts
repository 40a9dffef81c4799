import { traceQuestion } from '@parley/contracts/realm-data'
import type { Purge } from '@parley/kit/follow-realm-ends'
import { type Deps, internal } from '../room.ts'

type Parts = Pick<Deps, 'store' | 'shards'>

/** Queues of an organization that Redis holds, shard by shard. Slow: all queues are looked at. */
async function* queuesOf({ store, shards }: Parts, realmId: number): AsyncGenerator<[number, number[]]> {
  for (let shard = 0; shard < shards; shard += 1) {
    const { queues } = await store.load(shard)
    const found = [...queues].filter(([, { opened }]) => opened.realm === realmId).map(([number]) => number)
    if (found.length > 0) yield [shard, found]
  }
}

/** Closes the queues that are left of an organization: all that there is of it here. */
export const purgeQueues =
  (parts: Parts): Purge =>
  async (realmId, onProgress) => {
    for await (const [shard, queues] of queuesOf(parts, realmId)) {
      const closed = await parts.store.close(
        shard,
        queues.map((number) => [number, false]),
      )
      onProgress(closed.length)
    }
  }

export const realmTraces = internal(traceQuestion('event-queue').realmTraces, async ({ input, deps }) => {
  let count = 0
  for await (const [, queues] of queuesOf(deps, input.realm_id)) count += queues.length
  const traces: Record<string, number> = count === 0 ? {} : { 'event queues': count }
  return { traces }
})
