import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type BlobStore, createBucket, openBlobStore } from '@parley/blob'
import { type AnyInternal, type Caller, type RoleName, roles } from '@parley/contracts'
import { type RealmFact, systemGroupNames, type UserFact } from '@parley/contracts/identity/topics'
import { type Ask, type BaseConfig, callerHeader, inTransaction, tokenSigner } from '@parley/kit'
import { buildServer } from '@parley/kit/server'
import { ownDatabase } from '@parley/testkit/own-database'
import { realmDirectory } from './directory/realm-directory.ts'
import { openWorkshop } from './images/image-workshop.ts'
import type { Deps } from './room.ts'
import { service } from './service.ts'
import { temporaryLinks } from './serving/temporary-links.ts'

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run through npm test`)
  return value
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

export interface Person {
  readonly id: number
  readonly caller: Caller
  /** Calls the service as the gateway does for this account; the path is whole. */
  fetch(path: string, options?: RequestInit): Promise<Response>
}

/** What stands in for the services that are asked. */
type Answers = Record<string, (input: never) => unknown>

/** The room on a database and a bucket of its own, with its HTTP interface, and nobody who reads what it announces. */
export interface TestRoom {
  readonly url: string
  readonly deps: Deps
  readonly store: BlobStore
  readonly realm: RealmFact
  /** Answers of other services by the name of the question; tests change them. */
  readonly answers: Answers
  person(role?: RoleName, wishes?: Partial<UserFact>): Promise<Person>
  stranger(): Promise<Person>
  announced(): Promise<Announced[]>
  /** Asks this service as another one does. */
  internal(name: string, input: object): Promise<object>
  close(): Promise<void>
}

export const form = (...files: (readonly [name: string, content: string | Buffer, type?: string])[]) => {
  const made = new FormData()
  for (const [name, content, type = ''] of files) made.append('any', new Blob([content], { type }), name)
  return made
}

/** @param wishes what of the dependencies is to be different. */
export const openTestRoom = async (wishes: Partial<Deps> = {}): Promise<TestRoom> => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signing = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const trusted = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const own = await ownDatabase('uploads')
  const { database } = own
  const address = {
    endpoint: setting('S3_ENDPOINT'),
    accessKey: setting('S3_ACCESS_KEY'),
    secretKey: setting('S3_SECRET_KEY'),
    region: setting('S3_REGION'),
    bucket: `uploads-test-${randomBytes(6).toString('hex')}`,
  }
  await createBucket({ ...address, name: address.bucket })
  const store = await openBlobStore(address)
  const realm: RealmFact = {
    id: 7,
    subdomain: 'acme',
    name: 'Acme',
    uuid: 'u',
    is_active: true,
    settings: {},
    system_groups: Object.fromEntries(
      systemGroupNames.map((name, place) => [name, 100 + place]),
    ) as RealmFact['system_groups'],
    version: 1,
  }
  const users = new Map<number, UserFact>()
  const answers: Answers = {
    'find-realm-by-id': () => ({ realm }),
    'find-users': ({ ids, emails }: { ids: number[]; emails: string[] }) => ({
      users: [...users.values()].filter(({ id, email }) => ids.includes(id) || emails.includes(email)),
    }),
  }
  const ask = (async (question: AnyInternal, input: never) => {
    const answer = answers[question.name]
    if (answer === undefined) throw new Error(`nobody answers ${question.name} here`)
    return answer(input)
  }) as Ask
  const log = { warn: () => {}, error: (details: object) => process.env.TEST_LOG && console.error(details) }
  const workshop = openWorkshop()
  const deps: Deps = {
    log,
    database,
    get bus(): never {
      throw new Error('there is no bus in this test')
    },
    ask,
    store,
    realms: realmDirectory(ask),
    sizes: { file: 6, avatar: 5 },
    workshop,
    links: temporaryLinks('a secret of this test'),
    graceDays: 35,
    ...wishes,
  }
  const config = { TRUSTED_KEYS: { gateway: trusted }, CHECK_REPLIES: true } as unknown as BaseConfig
  const server = await buildServer({
    contract: service.contract,
    definition: service,
    deps,
    config,
    log: log as never,
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const signer = tokenSigner('gateway', signing)

  const personOf = async (id: number, user: Caller['user']): Promise<Person> => {
    const place = { id: realm.id, subdomain: realm.subdomain, url: 'http://acme.chat.example' }
    const caller: Caller = { realm: place, user, client: 'test' }
    return {
      id,
      caller,
      fetch: async (path, options = {}) =>
        fetch(`${url}${path}`, {
          redirect: 'manual',
          ...options,
          headers: { ...options.headers, [callerHeader]: await signer.sign(caller) },
        }),
    }
  }
  return {
    url,
    deps,
    store,
    realm,
    answers,
    async person(role = 'member', more = {}) {
      const id = 1001 + users.size
      const email = `person${id}@acme.example`
      const user: UserFact = {
        id,
        realm_id: realm.id,
        email,
        delivery_email: email,
        full_name: `Person ${id}`,
        role: roles[role],
        is_active: true,
        bot_type: null,
        bot_owner_id: null,
        avatar_source: 'G',
        avatar_version: 1,
        version: 1,
        ...more,
      }
      users.set(id, user)
      return personOf(id, { id, role: user.role, bot_type: user.bot_type })
    },
    stranger: () => personOf(0, null),
    async internal(name, input) {
      const handler = Object.values(service.internals).find((one) => one.internal.name === name)!
      const transaction = (work: never) => inTransaction(database, work)
      return handler.handle({ input, issuer: 'channels', deps, transaction } as never)
    },
    announced: () =>
      database.sql<Announced[]>`
        WITH taken AS (DELETE FROM outbox RETURNING id, topic, key, value, audience)
        SELECT topic, key, value::jsonb AS value, audience FROM taken ORDER BY id`,
    async close() {
      // Those that are kept alive would be waited for.
      server.server.closeAllConnections()
      await server.close()
      await workshop.close()
      await own.drop()
    },
  }
}
