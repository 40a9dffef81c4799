import { randomBytes } from 'node:crypto'
import {
  type AnyEndpoint,
  type AnyInternal,
  type Caller,
  type InputOf,
  type KnownCaller,
  type OutputOf,
  parameterReader,
  type ReplyOf,
  type RoleName,
  refuse,
  roles,
} from '@parley/contracts'
import type { RealmPermissionName } from '@parley/contracts/identity/permission-settings'
import { systemGroupNames } from '@parley/contracts/identity/topics'
import { type Ask, inTransaction } from '@parley/kit'
import { ownDatabase } from '@parley/testkit/own-database'
import { linkKeys } from './invites/link-keys.ts'
import type { Deps } from './room.ts'

interface Handles<E extends AnyEndpoint> {
  readonly endpoint: E
  readonly handle: (context: never) => Promise<unknown>
}

/** One announcement, as the relay will find it. */
interface Announced {
  readonly topic: string
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: announcements of every shape.
  readonly value: any
  // biome-ignore lint/suspicious/noExplicitAny: as the contracts' Audience.
  readonly audience: any
}

/** What the other services answer in a test: by the name of the question. */
export type Answers = Record<string, (input: never) => unknown>

/** The room on a database of its own, without HTTP, with neighbours that answer what the test says. */
export interface TestRoom {
  readonly deps: Deps
  /** The answers of the neighbours, to be changed by the test. */
  readonly answers: Answers
  /** Calls as a client would, past the gateway; `sent` is what arrived: text, or what becomes JSON text. */
  call<E extends AnyEndpoint>(
    handler: Handles<E>,
    caller: Caller,
    sent?: Record<string, unknown>,
    path?: Record<string, string>,
  ): Promise<ReplyOf<E>>
  /** An account of the organization, or of another one. */
  person(role?: RoleName, realmId?: number): KnownCaller
  /** What was announced since the last time, oldest first. */
  announced(): Promise<Announced[]>
  close(): Promise<void>
}

export const administratorId = 1

/** Permissions that accounts have by default: all of members, and links for administrators. */
const allowedTo = (role: number): RealmPermissionName[] => [
  ...(role <= roles.member ? (['can_invite_users_group', 'can_add_subscribers_group'] as const) : []),
  ...(role <= roles.administrator ? (['create_multiuse_invite_group'] as const) : []),
]

export const openTestRoom = async (): Promise<TestRoom> => {
  const own = await ownDatabase('invitations')
  const { database } = own
  const roleOf = new Map<number, number>()
  const answers: Answers = {
    'inviting-standing': ({ user_id, group_ids }: { user_id: number; group_ids: number[] }) => {
      const role = roleOf.get(user_id)
      return {
        realm_is_active: true,
        account:
          role === undefined
            ? null
            : { role, full_name: 'Ada', delivery_email: 'ada@a.example', allowed: allowedTo(role) },
        refused_groups: group_ids.filter((id) => id > 50).map((id) => ({ id, reason: 'Invalid user group' })),
        administrator_ids: [administratorId],
      }
    },
    'find-realm-by-id': ({ realm_id: id }: { realm_id: number }) => ({
      realm: {
        id,
        subdomain: `o${id}`,
        name: 'Org',
        uuid: 'u',
        is_active: true,
        settings: {},
        system_groups: Object.fromEntries(systemGroupNames.map((name, place) => [name, 100 + place])),
        version: 1,
      },
    }),
    'find-users': () => ({ users: [] }),
    'judge-newcomer': () => ({ password_hash: '$argon2id$test' }),
    'create-newcomer': () => ({ user_id: 500 }),
    'join-channels': () => ({ channel_ids: [] }),
    'judge-invited-channels': ({ channel_ids }: { channel_ids: number[] }) => ({
      unknown: channel_ids.filter((id) => id > 90),
      forbidden: channel_ids.filter((id) => id > 50 && id <= 90),
    }),
  }
  const ask = (async <I extends AnyInternal>(internal: I, input: InputOf<I>): Promise<OutputOf<I>> => {
    const answer = answers[internal.name]
    if (answer === undefined) throw new Error(`nobody answers ${internal.name} in this test`)
    return internal.output.parse(await answer(internal.input.parse(input) as never)) as OutputOf<I>
  }) as Ask
  let people = 100
  const deps: Deps = {
    log: { info: () => {}, warn: () => {}, error: () => {} },
    database,
    get bus(): never {
      throw new Error('there is no bus in this test')
    },
    ask,
    keys: linkKeys(randomBytes(32)),
    publicUrl: 'http://chat.example',
    linkValidity: 14_400,
    isDevelopment: true,
    isFoundingOpen: true,
    invitationsPerDay: 20,
    hasMail: true,
    founder: { wake: () => {}, stop: async () => {} },
    usher: { wake: () => {}, stop: async () => {} },
    mailer: { wake: () => {}, stop: async () => {} },
    judge: { wake: () => {}, stop: async () => {} },
  }
  return {
    answers,
    deps,
    async call(handler, caller, sent = {}, path = {}) {
      const text = Object.fromEntries(
        Object.entries(sent).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      )
      return handler.handle({
        caller,
        params: parameterReader(handler.endpoint.params, handler.endpoint.aliases)(text, path).values,
        deps,
        refuse,
        transaction: (work: never) => inTransaction(database, work),
      } as never) as Promise<never>
    },
    person(role = 'member', realmId = 7) {
      people += 1
      roleOf.set(people, roles[role])
      return {
        realm: { id: realmId, subdomain: `o${realmId}`, url: `http://o${realmId}.chat.example` },
        user: { id: people, role: roles[role], bot_type: null },
        client: 'test',
      }
    },
    announced: () =>
      database.sql<Announced[]>`
        WITH taken AS (DELETE FROM outbox RETURNING id, topic, key, value, audience)
        SELECT topic, key, value::jsonb AS value, audience FROM taken ORDER BY id`,
    close: () => own.drop(),
  }
}
