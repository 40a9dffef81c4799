import { randomBytes } from 'node:crypto'
import {
  type AnyEndpoint,
  type AnyInternal,
  type Caller,
  type InputOf,
  limits,
  type OutputOf,
  parameterReader,
  type ReplyOf,
  refuse,
} from '@parley/contracts'
import { inTransaction, PiecedReply } from '@parley/kit'
import { textCache } from '@parley/kit/text-cache'
import { type OwnDatabase, ownDatabase } from '@parley/testkit/own-database'
import { exportLinks } from './exports/export-links.ts'
import { apiKeys } from './keys/api-keys.ts'
import { openPasswords } from './passwords/passwords.ts'
import type { Deps } from './room.ts'

interface Handled<I extends AnyInternal> {
  readonly internal: I
  readonly handle: (context: never) => Promise<OutputOf<I>>
}

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

/** Work that tests do by hand. */
const idle = { wake: () => {}, stop: async () => {} }

/** One announcement, as the relay will find it. */
export interface Announced {
  readonly topic: string
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: announcements of every shape.
  readonly value: any
  // biome-ignore lint/suspicious/noExplicitAny: as the contracts' Audience.
  readonly audience: any
}

/** The room on a database of its own, without HTTP and without anybody who reads what it announces. */
export interface TestRoom extends Pick<OwnDatabase, 'heldUp'> {
  readonly deps: Deps
  /** Asks as another service would. */
  ask<I extends AnyInternal>(handler: Handled<I>, input: InputOf<I>): Promise<OutputOf<I>>
  /** Calls as a client would, past the gateway; `sent` is what arrived, as text. */
  call<E extends AnyEndpoint>(
    handler: Handles<E>,
    caller: Caller,
    sent?: Record<string, string>,
    path?: Record<string, string>,
    file?: Buffer,
  ): Promise<ReplyOf<E>>
  /** The same, with the answer as the handler gives it. */
  handle(
    handler: Handles<AnyEndpoint>,
    caller: Caller,
    sent?: Record<string, string>,
    path?: Record<string, string>,
    file?: Buffer,
  ): Promise<unknown>
  /** What was announced since the last time, oldest first. */
  announced(): Promise<Announced[]>
  close(): Promise<void>
}

export const openTestRoom = async (settings: Partial<Deps> = {}): Promise<TestRoom> => {
  const own: OwnDatabase = await ownDatabase('identity')
  const { database } = own
  const deps: Deps = {
    database,
    // No test reads topics.
    bus: undefined as never,
    ask: (async ({ name }: AnyInternal) => {
      // Every address is welcome.
      if (name === 'judge-address') return { finding: null }
      throw new Error('there is no other service in this test')
    }) as unknown as Deps['ask'],
    newsWait: async () => {},
    keys: apiKeys(randomBytes(32)),
    accountTexts: textCache(8),
    passwords: await openPasswords(2),
    publicUrl: 'http://chat.example:9991',
    directory: undefined,
    bigBlueButton: undefined,
    giphyKey: '',
    tenorKey: 'for tenor',
    isDevelopment: false,
    deletionBounds: { min: limits.minRealmDeletionDays, max: null },
    log: { info: () => {}, warn: () => {} },
    store: async () => {
      throw new Error('there is no object store in this test')
    },
    exportLinks: exportLinks(randomBytes(32), 24),
    exportsPerWeek: limits.exportsPerWeek,
    exporter: idle,
    importer: idle,
    undertaker: idle,
    leaving: new AbortController(),
    ...settings,
  }
  const handle: TestRoom['handle'] = (handler, caller, sent = {}, path = {}, file = undefined) =>
    handler.handle({
      caller,
      params: parameterReader(handler.endpoint.params, handler.endpoint.aliases)(sent, path).values,
      file,
      deps,
      refuse,
      transaction: (work: never) => inTransaction(database, work),
    } as never)
  return {
    deps,
    ask: (handler, input) =>
      handler.handle({
        input: handler.internal.input.parse(input),
        issuer: 'manage',
        deps,
        refuse,
        transaction: (work: never) => inTransaction(database, work),
      } as never),
    handle,
    call: async (handler, caller, sent, path, file) => {
      const reply = await handle(handler, caller, sent, path, file)
      if (!(reply instanceof PiecedReply)) return reply as never
      const { result: _result, msg: _msg, ...fields } = JSON.parse(await textOf(reply))
      return fields as never
    },
    announced: () =>
      database.sql<Announced[]>`
        WITH taken AS (DELETE FROM outbox RETURNING id, topic, key, value, audience)
        SELECT topic, key, value::jsonb AS value, audience FROM taken ORDER BY id`,
    heldUp: own.heldUp,
    close: () => own.drop(),
  }
}
