import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { messagingClient } from './messaging-client.ts'
import { type Crowd, channelsOf, type Target } from './target.ts'

/** Peoples an organization of a running Parley: the senders and receivers of a benchmark. */
export const peopleParley = async (
  stack: StackAddress,
  crowd: Crowd,
  pids: () => number[],
): Promise<Target> => {
  const world = await World.create(stack)
  const channels = channelsOf(crowd)
  const people: TestUser[] = []
  while (people.length < channels.length) {
    const some = Math.min(20, channels.length - people.length)
    people.push(...(await Promise.all(Array.from({ length: some }, () => world.user()))))
  }
  for (const name of new Set(channels)) {
    const inside = people.filter((_, n) => channels[n] === name)
    await succeeded(
      inside[0]!.post('/users/me/subscriptions', {
        subscriptions: [{ name }],
        principals: inside.map(({ id }) => id),
      }),
    )
  }
  const { close, ...client } = messagingClient(
    stack.origin,
    people.map(({ host, credentials }, n) => ({
      channel: channels[n]!,
      host,
      credentials: `${credentials!.email}:${credentials!.key}`,
    })),
  )
  return { name: 'parley', ...client, pids, stop: close }
}
