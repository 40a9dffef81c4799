/**
 * The service as processes, on engines of its own (they are killed, and the topic is the service's), with a database
 * that announces changes and answers registrations as the services with sections do.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openBus } from '@parley/bus'
import { startRelay } from '@parley/bus/relay'
import { createTopics } from '@parley/bus/topics'
import { type Caller, SectionOptions, section } from '@parley/contracts'
import { type Database, openDatabase } from '@parley/db'
import { migrate } from '@parley/db/migrate'
import { room, tokenSigner } from '@parley/kit'
import { sectionState } from '@parley/kit/section-state'
import { eventually } from '@parley/testkit'
import { z } from 'zod'
import { startEngines } from '../../../../deploy/engines/start-engines.ts'
import { freePorts } from '../../../../deploy/machine/ports.ts'
import { quietLog, realm } from './shard-fixture.ts'

const shards = 2
const issuers = ['gateway', 'event-queue', 'channels', 'identity'] as const

const newKeys = () => {
  const pairs = issuers.map((issuer) => [issuer, generateKeyPairSync('ed25519')] as const)
  return {
    signing: Object.fromEntries(
      pairs.map(([issuer, { privateKey }]) => [
        issuer,
        privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      ]),
    ) as Record<(typeof issuers)[number], string>,
    trusted: JSON.stringify(
      Object.fromEntries(
        pairs.map(([issuer, { publicKey }]) => [
          issuer,
          publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
        ]),
      ),
    ),
  }
}

export interface Replica {
  readonly url: string
  readonly process: ChildProcess
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

export interface ServiceFixture {
  /** The database of a service that owns the sections `message`, `subscription` and `realm_user`. */
  readonly database: Database
  readonly brokers: string[]
  startReplica(): Promise<Replica>
  /** Whether registrations are answered by the other services. */
  setSectionsAway(away: boolean): void
  request(
    replica: Replica,
    userId: number,
    method: string,
    path: string,
    params?: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> }>
  /** What the gateway says of a member of the realm. */
  token(userId: number): Promise<string>
  /** A fact of identity. */
  publishUser(fact: Record<string, unknown> & { id: number }): Promise<void>
  stop(): Promise<void>
}

const { section: readSection } = room<{ database: Database }>()

/** The state that the race is about: which rows there are. Both named sections read the same table. */
const rowsSection = (name: string) =>
  readSection(
    section({ service: 'channels', name, fields: { [name]: z.array(z.int()) } }),
    async ({ sql }) => {
      const rows = await sql<{ id: number }[]>`SELECT id FROM changes ORDER BY id`
      return { [name]: rows.map(({ id }) => id) }
    },
  )

const serveSections = async (database: Database, isAway: () => boolean): Promise<Server> => {
  const names = ['subscription', 'message', 'realm_user', 'own_choices']
  const answer = sectionState({
    sections: names.map(rowsSection) as never,
    deps: { database },
    options: SectionOptions,
  })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (isAway()) return void response.writeHead(503).end('{}')
    const state = await answer(JSON.parse(Buffer.concat(chunks).toString()))
    Readable.from(state).pipe(response.writeHead(200, { 'content-type': 'application/octet-stream' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const ownDatabase = async (adminUrl: string): Promise<Database> => {
  const admin = await openDatabase({ url: adminUrl, service: 'channels' })
  await admin.sql`CREATE DATABASE changes`
  await admin.close()
  const url = new URL(adminUrl)
  url.pathname = '/changes'
  await migrate({ databaseUrl: url.href, service: 'gateway' })
  const database = await openDatabase({ url: url.href, service: 'channels', poolSize: 16 })
  await database.sql`CREATE TABLE changes (id bigint PRIMARY KEY)`
  return database
}

export const startServiceFixture = async (): Promise<ServiceFixture> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-event-queue-'))
  const { PATH, HOME, USER, XDG_CACHE_HOME } = process.env
  const engines = await startEngines({
    dataDir,
    engines: ['postgres', 'redis', 'kafka'],
    env: { PATH, HOME, USER, XDG_CACHE_HOME },
    log: () => {},
  })
  const { addresses } = engines
  const brokers = addresses.KAFKA_BROKERS!.split(',')
  await createTopics({ brokers, partitions: shards, replication: 1 })
  const database = await ownDatabase(addresses.DATABASE_URL!)
  const bus = await openBus({ brokers, service: 'channels', log: quietLog })
  const relay = await startRelay({
    database,
    bus,
    log: quietLog,
    clientEvents: { partitions: shards },
    resolvers: {},
  })
  const keys = newKeys()
  const signer = tokenSigner('gateway', keys.signing.gateway)
  let sectionsAway = false
  const sections = await serveSections(database, () => sectionsAway)
  const sectionsUrl = `http://127.0.0.1:${(sections.address() as AddressInfo).port}`
  const replicas: Replica[] = []

  const startReplica = async (): Promise<Replica> => {
    const [port, opsPort] = await freePorts(2)
    const child = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH,
        MODE: 'development',
        HOST: '127.0.0.1',
        PORT: String(port),
        OPS_PORT: String(opsPort),
        PUBLIC_URL: 'http://localhost:9991',
        SIGNING_KEY: keys.signing['event-queue'],
        TRUSTED_KEYS: keys.trusted,
        REDIS_URL: addresses.REDIS_URL,
        KAFKA_BROKERS: addresses.KAFKA_BROKERS,
        CLIENT_EVENTS_PARTITIONS: String(shards),
        CHANNELS_URL: sectionsUrl,
        IDENTITY_URL: sectionsUrl,
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
      },
    })
    const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
    const replica = { url: `http://127.0.0.1:${port}`, process: child, ended }
    replicas.push(replica)
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${opsPort}/ready`)
      if (answer.status !== 200) throw new Error(await answer.text())
    }, 60)
    return replica
  }

  const token = (userId: number): Promise<string> => {
    const caller: Caller = {
      realm: { id: realm, subdomain: '', url: 'http://localhost:9991' },
      user: { id: userId, role: 400, bot_type: null },
      client: 'test',
    }
    return signer.sign(caller)
  }

  return {
    database,
    brokers,
    token,
    startReplica,
    setSectionsAway: (away) => {
      sectionsAway = away
    },
    async request(replica, userId, method, path, params = {}) {
      const form = new URLSearchParams(params).toString()
      const isQuery = method === 'GET'
      const answer = await fetch(`${replica.url}/api/v1${path}${isQuery ? `?${form}` : ''}`, {
        method,
        headers: {
          'x-parley-caller': await token(userId),
          ...(isQuery ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(isQuery ? {} : { body: form }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    async publishUser(fact) {
      await database.transaction(async (tx) => {
        tx.enqueue({ topic: 'identity.users', key: String(fact.id), value: JSON.stringify(fact) })
      })
    },
    async stop() {
      for (const { process: child } of replicas) child.kill('SIGKILL')
      await relay.stop()
      await bus.close()
      sections.close()
      sections.closeAllConnections()
      await database.close()
      await engines.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
