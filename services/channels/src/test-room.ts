import {
  type AnyEndpoint,
  type Caller,
  type KnownCaller,
  parameterReader,
  type ReplyOf,
  type RoleName,
  refuse,
  roles,
} from '@parley/contracts'
import {
  type GroupFact,
  type PersonalFact,
  systemGroupNames,
  type UserFact,
} from '@parley/contracts/identity/topics'
import type { Database } from '@parley/db'
import { type Ask, inTransaction, PiecedReply, PreparedReply } from '@parley/kit'
import { textCache } from '@parley/kit/text-cache'
import { type OwnDatabase, ownDatabase } from '@parley/testkit/own-database'
import { channelDirectory } from './channels/channel-directory.ts'
import { emojiDirectory } from './directory/emoji-directory.ts'
import { newsBell } from './directory/news-bell.ts'
import { takeInPersonal } from './directory/on-personal-changed.ts'
import { takeInUser } from './directory/on-user-changed.ts'
import { personalDirectory } from './directory/personal-directory.ts'
import { realmDirectory } from './directory/realm-directory.ts'
import { type Realm, saveRealm } from './directory/realm-store.ts'
import { userDirectory } from './directory/user-directory.ts'
import { conversationDirectory } from './messages/conversation-directory.ts'
import { messageBatcher } from './messages/message-batcher.ts'
import { storeBatch } from './messages/store-batch.ts'
import { saveGroup } from './permissions/group-store.ts'
import type { Deps } from './room.ts'
import { bell } from './scheduler/bell.ts'

interface Handles<E extends AnyEndpoint> {
  readonly endpoint: E
  readonly handle: (context: never) => Promise<unknown>
}

/** All of an answer that is sent in pieces. */
const textOf = async ({ pieces }: PiecedReply): Promise<string> => {
  let text = ''
  for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) text += piece.value
  return text
}

/** One announcement, as the relay will find it. */
export interface Announced {
  readonly topic: string
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: announcements of every shape.
  readonly value: any
  // biome-ignore lint/suspicious/noExplicitAny: as the contracts' Audience.
  readonly audience: any
}

/** Knows nobody and nothing that this service's own copies do not know. */
const emptyIdentity = (async () => ({
  users: [],
  groups: [],
  realm: null,
  emoji: [],
  attachments: [],
  files: [],
})) as unknown as Ask

type Choices = Pick<PersonalFact, 'settings' | 'alert_words' | 'muted_user_ids'>

/** One process of the service on a database; several may share it, as replicas do. */
export const testDeps = (database: Database, ask: Ask = emptyIdentity): Deps => {
  const realms = realmDirectory(database, ask)
  return {
    log: { warn: () => {} },
    database,
    get bus(): never {
      throw new Error('there is no bus in this test')
    },
    ask,
    realms,
    users: userDirectory(database, ask),
    activity: { note: () => {}, stop: async () => {} },
    personal: personalDirectory(database),
    emoji: emojiDirectory(database, ask),
    newsBell: newsBell(database),
    channels: channelDirectory(database),
    conversations: conversationDirectory(database, realms),
    subscriberTexts: textCache(8),
    sender: messageBatcher(storeBatch(database, { borrow: () => undefined })),
    bell: bell(),
    publicUrl: 'http://chat.example',
  }
}

/** The room on a database of its own, without HTTP and without anybody who reads what it announces. */
export interface TestRoom extends Pick<OwnDatabase, 'hold' | 'heldUp'> {
  readonly deps: Deps
  /** An organization's; a new one per test file. */
  readonly realm: Realm
  /** Calls as a client would, past the gateway; `sent` is what arrived: text, or what becomes JSON text. */
  call<E extends AnyEndpoint>(
    handler: Handles<E>,
    caller: Caller,
    sent?: Record<string, unknown>,
    deps?: Deps,
  ): Promise<ReplyOf<E>>
  /** A new account. */
  person(role?: RoleName, wishes?: Partial<UserFact>): Promise<KnownCaller>
  /** Changes settings of the organization, as identity would tell. */
  settle(settings: Realm['settings']): Promise<void>
  /** What somebody chose, as identity would tell; what is not given is as it was. */
  choose(who: KnownCaller, choices: Partial<Choices>): Promise<void>
  /** A new user group, as identity would tell; its ID. */
  group(wishes: { members?: readonly KnownCaller[]; subgroups?: readonly number[] }): Promise<number>
  /** What was announced since the last time, oldest first. */
  announced(): Promise<Announced[]>
  close(): Promise<void>
}

export const openTestRoom = async (): Promise<TestRoom> => {
  const own: OwnDatabase = await ownDatabase('channels')
  const { database } = own
  const realm: Realm = {
    id: 7,
    subdomain: 'acme',
    name: 'Acme',
    is_active: true,
    system_groups: Object.fromEntries(
      systemGroupNames.map((name, place) => [name, 100 + place]),
    ) as Realm['system_groups'],
    settings: {},
    linkifiers: [],
    version: 1,
  }
  await saveRealm(database.sql, realm)
  const groupFact = (
    fact: Pick<GroupFact, 'id' | 'name' | 'is_system_group' | 'member_ids' | 'subgroup_ids'>,
  ) =>
    saveGroup(database.sql, {
      ...fact,
      realm_id: realm.id,
      is_active: true,
      can_mention_group: realm.system_groups['role:everyone'],
      version: 1,
    })
  let inner: number[] = []
  for (const name of systemGroupNames) {
    const id = realm.system_groups[name]
    const subgroup_ids = name === 'role:nobody' ? [] : inner
    await groupFact({ id, name, is_system_group: true, member_ids: [], subgroup_ids })
    inner = [id]
  }
  const deps = testDeps(database)
  let people = 0
  let groups = 500
  let current = realm
  const chosen = new Map<number, PersonalFact>()
  const nothingChosen = { settings: {}, alert_words: [], muted_user_ids: [], version: 0 }
  return {
    deps,
    realm,
    async call(handler, caller, sent = {}, process = deps) {
      const text = Object.fromEntries(
        Object.entries(sent).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      )
      const { endpoint } = handler
      const reply = await handler.handle({
        caller,
        params: parameterReader(endpoint.params, endpoint.aliases)(text, {}).values,
        deps: process,
        refuse,
        transaction: (work: never) => inTransaction(database, work),
      } as never)
      if (reply instanceof PiecedReply) return JSON.parse(await textOf(reply)) as never
      return (reply instanceof PreparedReply ? JSON.parse(reply.text) : reply) as never
    },
    async person(role = 'member', wishes = {}) {
      people += 1
      const email = `person${people}@acme.example`
      const user: UserFact = {
        id: 1000 + people,
        realm_id: realm.id,
        email,
        delivery_email: email,
        full_name: `Person ${people}`,
        role: roles[role],
        is_active: true,
        bot_type: null,
        bot_owner_id: null,
        avatar_source: 'G',
        avatar_version: 1,
        version: 1,
        ...wishes,
      }
      await takeInUser(database.sql, user)
      return {
        realm: { id: realm.id, subdomain: realm.subdomain, url: 'http://acme.chat.example' },
        user: { id: user.id, role: user.role, bot_type: user.bot_type },
        client: 'test',
      }
    },
    async settle(settings) {
      current = { ...current, settings: { ...current.settings, ...settings }, version: current.version + 1 }
      await saveRealm(database.sql, current)
      deps.realms.learn(current)
    },
    async choose(who, given) {
      const before = chosen.get(who.user.id) ?? nothingChosen
      const fact = { ...before, ...given, id: who.user.id, realm_id: realm.id, version: before.version + 1 }
      chosen.set(who.user.id, fact)
      await inTransaction(database, (tx) => takeInPersonal(deps, tx as never, fact))
      deps.personal.learn(fact)
    },
    async group({ members = [], subgroups = [] }) {
      groups += 1
      await groupFact({
        id: groups,
        name: `group ${groups}`,
        is_system_group: false,
        member_ids: members.map((one) => one.user.id),
        subgroup_ids: [...subgroups],
      })
      return groups
    },
    hold: own.hold,
    heldUp: own.heldUp,
    announced: () =>
      database.sql<Announced[]>`
        WITH taken AS (DELETE FROM outbox RETURNING id, topic, key, value, audience)
        SELECT topic, key, value::jsonb AS value, audience FROM taken ORDER BY id`,
    close: () => own.drop(),
  }
}
