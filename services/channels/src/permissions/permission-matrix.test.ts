import type { KnownCaller, RoleName } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { getChannel } from '../channels/get-channel.ts'
import { updateChannel } from '../channels/update-channel.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { listSubscriptions } from '../subscriptions/list-subscriptions.ts'
import { removeSubscriptions } from '../subscriptions/remove-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { listChannelTopics } from '../topics/list-channel-topics.ts'

let room: TestRoom
let maker: KnownCaller
let somebody: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  maker = await room.person('owner')
  somebody = await room.person()
  await room.settle({ enable_spectator_access: true })
})
afterAll(() => room.close())

const kinds = {
  public: {},
  private: { invite_only: true },
  'web-public': { is_web_public: true },
} as const
type Kind = keyof typeof kinds
/** How the one who acts stands to the channel: in it, not in it, or not in it but named by one of its settings. */
const standings = ['subscribed', 'outside', 'can_administer', 'can_subscribe', 'can_add_subscribers'] as const
type Standing = (typeof standings)[number]

interface Case {
  readonly role: RoleName
  readonly kind: Kind
  readonly standing: Standing
}

/** The rules in one sentence each, written apart from the code that decides. */
const knows = ({ role, kind, standing }: Case): boolean =>
  standing === 'subscribed' ||
  kind === 'web-public' ||
  (role !== 'guest' &&
    (kind === 'public' || role === 'owner' || role === 'administrator' || standing !== 'outside'))
const reads = (one: Case): boolean =>
  one.standing === 'subscribed' ||
  one.kind === 'web-public' ||
  (one.role !== 'guest' &&
    (one.kind === 'public' || one.standing === 'can_subscribe' || one.standing === 'can_add_subscribers'))
const isAdministrator = ({ role }: Case): boolean => role === 'owner' || role === 'administrator'
const administers = (one: Case): boolean =>
  knows(one) && (isAdministrator(one) || one.standing === 'can_administer')
const adds = (one: Case): boolean =>
  reads(one) &&
  (one.role !== 'guest' || one.standing === 'can_administer' || one.standing === 'can_add_subscribers')
const sends = (one: Case): boolean =>
  one.standing === 'subscribed' || (one.role !== 'guest' && one.kind !== 'private')

const expected = {
  know: knows,
  read: reads,
  join: reads,
  send: sends,
  add: adds,
  remove: isAdministrator,
  administer: administers,
} as const satisfies Record<string, (one: Case) => boolean>

it('holds for every role, kind of channel, standing and action', async () => {
  const found: string[] = []
  const wanted: string[] = []
  let made = 0
  for (const role of ['owner', 'administrator', 'moderator', 'member', 'guest'] as const) {
    for (const kind of Object.keys(kinds) as Kind[]) {
      for (const standing of standings) {
        made += 1
        const actor = await room.person(role)
        const name = `case ${made}`
        const value = { direct_members: [actor.user.id], direct_subgroups: [] }
        const isIn = standing === 'subscribed'
        const isNamed = !isIn && standing !== 'outside'
        const { id } = await room.call(createChannel, maker, {
          name,
          subscribers: [maker.user.id, ...(isIn ? [actor.user.id] : [])],
          ...kinds[kind],
          ...(isNamed
            ? { [`${standing}${standing === 'can_administer' ? '_channel' : ''}_group`]: value }
            : {}),
        })
        const subscribe = (principals?: number[]) =>
          room.call(addSubscriptions, actor, { subscriptions: [{ name }], ...(principals && { principals }) })
        const leave = (by: KnownCaller, who: KnownCaller) =>
          room.call(removeSubscriptions, by, { subscriptions: [name], principals: [who.user.id] })
        const actions = {
          know: () => room.call(getChannel, actor, { stream_id: id }),
          read: () => room.call(listChannelTopics, actor, { stream_id: id }),
          send: () => room.call(sendMessage, actor, { type: 'stream', to: id, topic: 't', content: 'x' }),
          add: () => subscribe([somebody.user.id]),
          administer: () => room.call(updateChannel, actor, { stream_id: id, description: 'changed' }),
          remove: () => leave(actor, maker),
          join: async () => {
            await subscribe()
            const { subscriptions } = await room.call(listSubscriptions, actor, {})
            expect(subscriptions.map((one) => one.stream_id)).toContain(id)
          },
        }
        for (const [action, act] of Object.entries(actions)) {
          const outcome = await act().then(
            () => 'may',
            (error) => {
              if (error.error === undefined) throw error
              return 'may not'
            },
          )
          const label = `${role} ${standing} ${kind} ${action}`
          found.push(`${label}: ${outcome}`)
          wanted.push(
            `${label}: ${expected[action as keyof typeof expected]({ role, kind, standing }) ? 'may' : 'may not'}`,
          )
        }
      }
    }
  }
  expect(found).toEqual(wanted)
}, 60_000)
