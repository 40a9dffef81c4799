import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { messagingClient } from './messaging-client.ts'
import type { Crowd, Target } from './target.ts'

/** Peoples an organization of a running Parley: the senders and receivers of a benchmark. */
export const peopleParley = async (
  stack: StackAddress,
  crowd: Crowd,
  pids: () => number[],
): Promise<Target> => {
  const world = await World.create(stack)
  const people: TestUser[] = []
  const count = Math.max(crowd.senders, crowd.receivers)
  while (people.length < count) {
    const some = Math.min(20, count - people.length)
    people.push(...(await Promise.all(Array.from({ length: some }, () => world.user()))))
  }
  for (let channel = 0; channel < crowd.channels; channel += 1) {
    const inside = people.filter((_, n) => n % crowd.channels === channel)
    await succeeded(
      inside[0]!.post('/users/me/subscriptions', {
        subscriptions: [{ name: `channel ${channel}` }],
        principals: inside.map(({ id }) => id),
      }),
    )
  }
  const { close, ...client } = messagingClient(
    stack.origin,
    people.map(({ host, credentials }, n) => ({
      channel: `channel ${n % crowd.channels}`,
      headers: {
        host,
        authorization: `Basic ${Buffer.from(`${credentials!.email}:${credentials!.key}`).toString('base64')}`,
      },
    })),
  )
  return { name: 'parley', ...client, pids, stop: close }
}
