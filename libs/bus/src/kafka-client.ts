import { readFileSync } from 'node:fs'
import { createConnection, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { EngineUnavailableError } from '@parley/contracts'
import { type ISocketFactory, Kafka, type KafkaConfig, logLevel } from 'kafkajs'
import { isWorthWaiting } from './kafka-errors.ts'
import { quietClient } from './quiet-client.ts'

quietClient()

/** Milliseconds that a broker has to answer one request, and to take a connection. */
const requestTimeout = 5000
const connectionTimeout = 3000

/** The client's own factory leaves Nagle's algorithm on: a request of two segments would wait for an ACK, up to 40 ms. */
const promptSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const socket =
    ssl === undefined || ssl === null
      ? createConnection({ host, port }, onConnect)
      : connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
  return socket.setNoDelay(true).setKeepAlive(true, 60_000)
}

/** How brokers are reached: plainly, with TLS (a certificate authority of one's own), as a SCRAM-SHA-512 user. */
export interface KafkaAccess {
  readonly brokers: string[]
  /** File with the PEM certificates that sign the brokers'; connections are TLS when it is set. */
  readonly caFile?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
}

const security = ({ caFile, username, password }: KafkaAccess): Partial<KafkaConfig> => ({
  ...(caFile === undefined ? {} : { ssl: { ca: [readFileSync(caFile, 'utf8')] } }),
  ...(username === undefined
    ? {}
    : { sasl: { mechanism: 'scram-sha-512', username, password: password ?? '' } }),
})

/** Opens nothing yet: producers, consumers and admins made from it connect by themselves. */
export const kafkaClient = (options: {
  access: KafkaAccess
  clientId: string
  onError?: (message: string, details: object) => void
}): Kafka =>
  new Kafka({
    clientId: options.clientId,
    brokers: options.access.brokers,
    ...security(options.access),
    socketFactory: promptSocket,
    requestTimeout,
    connectionTimeout,
    retry: { initialRetryTime: 100, maxRetryTime: 1000, retries: 6 },
    logLevel: logLevel.ERROR,
    logCreator:
      () =>
      ({ log }) =>
        options.onError?.(log.message, log),
  })

/** Turns errors of a Kafka that is away into EngineUnavailableError. */
export const guarded = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    throw isWorthWaiting(error) ? new EngineUnavailableError('kafka', { cause: error }) : error
  }
}

/** Waits for Kafka's answer, but not for longer than `milliseconds`. */
export const answered = async <T>(milliseconds: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const cause = new Error(`no answer in ${milliseconds} ms`)
      reject(new EngineUnavailableError('kafka', { cause }))
    }, milliseconds)
  })
  try {
    return await Promise.race([guarded(work), late])
  } finally {
    clearTimeout(timer)
  }
}
