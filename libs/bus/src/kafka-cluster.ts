import { createRequire } from 'node:module'
import type { Kafka } from 'kafkajs'

/**
 * The brokers of a cluster as the client (kafkajs 2.2.4) knows them for its own producers and consumers: who leads what, and
 * connections with all that belongs to them (TLS, SASL, answers that come late, brokers that go away). What is asked of a
 * broker often is written and read here, by code of this library's own.
 */

const require = createRequire(import.meta.url)
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error
}

interface Connection {
  readonly clientId: string
  readonly socket: { write(bytes: Buffer): void }
  readonly requestQueue: {
    push(request: {
      readonly entry: RequestName & {
        readonly correlationId: number
        readonly resolve: (answer: { readonly payload: Buffer }) => void
        readonly reject: (error: Error) => void
      }
      readonly expectResponse: boolean
      readonly requestTimeout: number | null
      readonly sendRequest: () => void
    }): void
    maybeThrottle(milliseconds: number): void
  }
  /** Null where users are not told apart. */
  readonly sasl: object | null
  isAuthenticated(): boolean
  authenticate(): Promise<void>
  nextCorrelationId(): number
}

interface Broker {
  readonly connectionPool: { getConnection(): Promise<Connection> }
}

interface PartitionMetadata {
  readonly partitionId: number
  readonly leader: number
}

interface ClientCluster {
  connect(): Promise<void>
  disconnect(): Promise<void>
  isConnected(): boolean
  removeBroker(address: { readonly host: string; readonly port: number }): void
  refreshMetadata(): Promise<void>
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>
  findTopicPartitionMetadata(topic: string): readonly PartitionMetadata[]
  findBroker(options: { readonly nodeId: number }): Promise<Broker>
  findControllerBroker(): Promise<{
    initProducerId(options: { readonly transactionTimeout: number }): Promise<ProducerIdentity>
  }>
}

/** By whom a broker knows what it has written already. */
export interface ProducerIdentity {
  /** A number of 64 bits, in digits. */
  readonly producerId: string
  readonly producerEpoch: number
}

interface RequestName {
  readonly apiKey: number
  readonly apiName: string
  readonly apiVersion: number
}

/** https://kafka.apache.org/protocol.html */
export interface BrokerRequest<Answer> extends RequestName {
  /** The whole of it, with its size. */
  encode(header: { readonly correlationId: number; readonly clientId: string }): Buffer
  /** @throws what `protocolError` makes of a code. */
  decode(payload: Buffer): { readonly answer: Answer; readonly throttleMilliseconds: number }
}

/** The brokers, and what to ask them. */
export interface KafkaCluster {
  /** Finds the brokers. */
  connect(): Promise<void>
  /** Of a topic, by partition: the broker that leads it. A topic is looked up once. */
  leadersOf(topic: string): Promise<readonly number[]>
  /** After a failure: looks up again who leads what, on connections that live. */
  lookAgain(failure: unknown): Promise<void>
  identify(): Promise<ProducerIdentity>
  /** @throws KafkaJSError of the client. */
  ask<Answer>(brokerId: number, request: BrokerRequest<Answer>): Promise<Answer>
  disconnect(): Promise<void>
}

/** Milliseconds; nothing here is a transaction, but the request has to name it. */
const transactionTimeout = 60_000

export const kafkaCluster = (kafka: Kafka): KafkaCluster => {
  const cluster = clientCluster(kafka)
  const topics = new Map<string, readonly number[]>()
  return {
    async connect() {
      await cluster.connect()
      await cluster.refreshMetadata()
    },
    async leadersOf(topic) {
      const known = topics.get(topic)
      if (known !== undefined) return known
      await cluster.addMultipleTargetTopics([topic])
      const leaders: number[] = []
      for (const { partitionId, leader } of cluster.findTopicPartitionMetadata(topic)) {
        leaders[partitionId] = leader
      }
      topics.set(topic, leaders)
      return leaders
    },
    async lookAgain(failure) {
      topics.clear()
      const { name, host, port } = failure as { name?: string; host?: string; port?: number }
      if (name === 'KafkaJSConnectionClosedError') cluster.removeBroker({ host: host!, port: port! })
      if (!cluster.isConnected()) await cluster.connect()
      await cluster.refreshMetadata()
    },
    async identify() {
      const controller = await cluster.findControllerBroker()
      return controller.initProducerId({ transactionTimeout })
    },
    async ask(brokerId, request) {
      const broker = await cluster.findBroker({ nodeId: brokerId })
      return askOver(await broker.connectionPool.getConnection(), request)
    },
    disconnect: () => cluster.disconnect(),
  }
}

const askOver = async <Answer>(connection: Connection, request: BrokerRequest<Answer>): Promise<Answer> => {
  // At first, and when the session of a user ends.
  if (connection.sasl !== null && !connection.isAuthenticated()) await connection.authenticate()
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly payload: Buffer }>()
  const { apiKey, apiName, apiVersion } = request
  const { clientId, requestQueue, socket } = connection
  const correlationId = connection.nextCorrelationId()
  const bytes = request.encode({ correlationId, clientId })
  requestQueue.push({
    entry: { apiKey, apiName, apiVersion, correlationId, resolve, reject },
    expectResponse: true,
    requestTimeout: null,
    sendRequest: () => socket.write(bytes),
  })
  const { payload } = await promise
  const { answer, throttleMilliseconds } = request.decode(payload)
  requestQueue.maybeThrottle(throttleMilliseconds)
  return answer
}

/** The error of a code in an answer, as the client would throw it. */
export const protocolError = (code: number): Error => createErrorFromCode(code)

const clientCluster = (kafka: Kafka): ClientCluster => {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  )
  const make = (kafka as unknown as Record<symbol, (options: object) => ClientCluster>)[symbol!]!
  return make({ metadataMaxAge: 300_000, allowAutoTopicCreation: false })
}
