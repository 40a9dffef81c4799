/**
 * Exactness of registrations over every kind of event: whatever happens while clients register, each client's own model
 * ends as a fresh registration begins. RACE_SECONDS=600 runs for longer, RACE_SEED repeats the choices of a run,
 * RACE_SCHEDULES=1000 does it so many times, with other choices each.
 */
import { clientEvents } from '@parley/contracts'
import {
  type Answer,
  applyEvent,
  differences,
  EventReader,
  entryKey,
  eventually,
  type State,
  seededRandom,
  succeeded,
  type TestUser,
  World,
  withMessages,
} from '@parley/testkit'
import { expect, it } from 'vitest'
import { type Cast, changes, talkChannel, vaultChannel } from './race-changes.ts'

const seconds = Number(process.env.RACE_SECONDS ?? 12)
const seed = Number(process.env.RACE_SEED ?? Date.now() % 1e6)
const schedules = Number(process.env.RACE_SCHEDULES ?? 1)
const writers = 4
const readers = 16
/** How often each change is tried at least. */
const fewest = 6

const capabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: false,
  linkifier_url_template: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
  individual_emoji_changes: true,
}

/** What clients ask for, in turn: with all capabilities, and with none. */
const wishes = [
  { include_subscribers: true, client_capabilities: capabilities },
  { include_subscribers: true, slim_presence: true },
] as const

const openCast = async (seed: number): Promise<Cast> => {
  const world = await World.create()
  const owner = await world.user({ role: 'owner' })
  const admin = await world.user({ role: 'administrator' })
  const member = await world.user()
  const guest = await world.user({ role: 'guest' })
  const victims = await Promise.all([0, 1, 2, 3].map(() => world.user()))
  const channels: number[] = []
  for (const name of ['alpha', 'beta', 'gamma', 'delta']) {
    await succeeded(owner.post('/users/me/subscriptions', { subscriptions: [{ name }] }))
  }
  await succeeded(
    owner.post('/users/me/subscriptions', {
      subscriptions: [{ name: talkChannel }],
      principals: [owner.id, admin.id, member.id, guest.id],
    }),
  )
  await succeeded(
    owner.post('/users/me/subscriptions', {
      subscriptions: [{ name: vaultChannel }],
      principals: [owner.id, admin.id, ...victims.map(({ id }) => id)],
    }),
  )
  const { streams } = await succeeded(owner.get('/streams'))
  const idOf = (name: string): number => streams.find((one: { name: string }) => one.name === name)?.stream_id
  const [talk, vault] = [idOf(talkChannel), idOf(vaultChannel)]
  for (const { stream_id } of streams) if (stream_id !== talk && stream_id !== vault) channels.push(stream_id)
  const made = {
    groups: [],
    bots: [],
    drafts: [],
    snippets: [],
    fields: [],
    messages: [],
    folders: [],
    channels,
    talk: [],
    vault,
  }
  return { world, owner, admin, member, guest, victims, made, random: seededRandom(seed) }
}

/** The messages of the channel that nobody leaves, as clients fetch them when they like. */
const withTalk = async (client: TestUser, state: State): Promise<State> => {
  const narrow = [{ operator: 'channel', operand: talkChannel }]
  const wish = { narrow, anchor: 'newest', num_before: 5000, num_after: 0, apply_markdown: false }
  const { messages } = await succeeded(client.get('/messages', wish))
  const messagesOf = state.subscriptions.find(({ name }: { name: string }) => name === talkChannel)?.stream_id
  return withMessages({ ...state, messagesOf }, messages)
}

it('has an entry for every event that there is', () => {
  const missing = Object.values(clientEvents)
    .flat()
    .map(entryKey)
    .filter((key) => !Object.hasOwn(changes, key))
  expect(missing, 'add what causes it to race-changes.ts').toEqual([])
})

it.each(Array.from({ length: schedules }, (_, schedule) => seed + schedule))(
  'every client that registers while everything changes ends with the truth (RACE_SEED=%i)',
  async (schedule) => {
    const cast = await openCast(schedule)
    const acts = Object.entries(changes).flatMap(([key, change]) =>
      typeof change === 'function' ? [[key, change] as const] : [],
    )
    let isOver = false
    const failures: string[] = []
    let turns = 0
    // Each kind in turn, so that none is left out when the machine is slow; until each had its chances.
    const act = async (): Promise<void> => {
      while (!isOver || turns < acts.length * fewest) {
        const [key, change] = acts[turns++ % acts.length]!
        const answers = [await change(cast)].flat() as Answer[]
        for (const { status, body } of answers) {
          if (status >= 500) failures.push(`${key}: ${status} ${JSON.stringify(body)}`)
        }
      }
    }
    const writing = Promise.all(Array.from({ length: writers }, act))
    const people = [cast.owner, cast.admin, cast.member, cast.guest]
    const looking = Promise.all(
      Array.from({ length: readers }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, (index / readers) * seconds * 1000))
        const client: TestUser = people[index % people.length]!
        const wish = wishes[Math.floor(index / people.length) % wishes.length]!
        const reader = await EventReader.register(client, wish)
        return { client, wish, reader, state: await withTalk(client, reader.state) }
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const observers = await looking
    isOver = true
    await writing
    expect(failures).toEqual([])

    const seen = new Set<string>()
    for (const { client, wish, reader, state } of observers) {
      const model: State = structuredClone(state)
      await eventually(async () => {
        for (const event of await reader.poll({ dont_block: true })) {
          seen.add(entryKey(event))
          applyEvent(model, event)
        }
        const truth = await withTalk(client, await succeeded(client.post('/register', wish)))
        await succeeded(client.delete('/events', { queue_id: truth.queue_id }))
        expect(differences(model, truth)).toEqual([])
      }, 20)
    }
    const unseen = acts.map(([key]) => key).filter((key) => !seen.has(key))
    console.log(`${turns} changes; not heard of: ${unseen.join(', ') || 'none'}`)
    // Chance leaves some out of a short run, never many.
    expect(unseen.length).toBeLessThan(acts.length / 4)
  },
  (seconds + 120) * 1000,
)
