import { createConnection, type Socket } from 'node:net'
import postgres from 'postgres'
import { type Care, failingWell, type StatementWatch } from './failing-well.ts'
import { type Places, places, transactionsAtATime } from './places.ts'

/** Types added to the driver's own: IDs and transaction IDs are numbers (they fit 2^53), and so are those in arrays. */
interface Types extends Record<string, postgres.PostgresType> {
  bigint: postgres.PostgresType<number>
  xid8: postgres.PostgresType<number>
  bigints: postgres.PostgresType<readonly Integers[]>
}
type ParsedTypes = { bigint: number; xid8: number }

/**
 * Queries as tagged templates. int8 and xid8 arrive as numbers, jsonb as parsed JSON, numeric as text, timestamptz as
 * Date: a Date has milliseconds, the column microseconds, so compare and order times in SQL.
 */
export type Sql = postgres.Sql<ParsedTypes>
export type TransactionSql = postgres.TransactionSql<ParsedTypes>
/** The queries of a read-only snapshot. */
export type SnapshotSql = TransactionSql

const unwatched: StatementWatch = () => () => {}

/** Seconds in which a connection must stand. */
const connectSeconds = 3

/**
 * The driver (3.4.9, src/connection.js) gathers what it writes until the end of the event loop's turn. When a connection
 * closes before that end, it keeps what it has gathered and calls the end off for good: on the next connections it writes
 * nothing until that makes 1,024 bytes (porsager/postgres#1215 tells of it). So what it says first is made that long, by a
 * startup option of nothing but spaces: a server that is sent remains before it hangs up, and the connection after that is
 * a clean one. Where TLS is negotiated before, see `askForTls`.
 */
const longStartup = ' '.repeat(1024)
/** https://www.postgresql.org/docs/current/protocol-message-formats.html: SSLRequest. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Says for a driver that gathers (`longStartup`) what it means to say first, and does not. */
const askForTls = (socket: Socket): void => {
  // Two turns: the driver writes at the end of that in which it is given the socket.
  setImmediate(() =>
    setImmediate(() => {
      if (socket.bytesWritten === 0 && !socket.destroyed) socket.write(tlsRequest)
    }),
  )
}

const integers = (type: number): postgres.PostgresType<number> => ({
  to: type,
  from: [type],
  serialize: (value: number) => String(value),
  parse: Number as unknown as (text: string) => number,
})

type Integers = number | null | readonly Integers[]

const integersText = (list: readonly Integers[]): string => `{${list.map(integerText).join(',')}}`

/** What is no number is left to the server to refuse, as one element. */
const integerText = (one: Integers): string | number => {
  if (typeof one === 'number') return one
  if (one === null) return 'NULL'
  return Array.isArray(one) ? integersText(one) : JSON.stringify(String(one))
}

/**
 * Arrays of IDs are the longest things that are sent: the driver's own way, which quotes each element in case it is text,
 * costs several times as much.
 */
const integerArrays = (type: number): postgres.PostgresType<readonly Integers[]> => ({
  to: type,
  from: [type],
  serialize: (value: readonly Integers[] | string) =>
    typeof value === 'string' ? value : integersText(value),
  parse: ((text: string) =>
    JSON.parse(
      text.replaceAll('{', '[').replaceAll('}', ']').replaceAll('NULL', 'null'),
    )) as unknown as postgres.PostgresType<readonly Integers[]>['parse'],
})

export interface Connections {
  /** Fails with EngineUnavailableError where the engine is at fault, within the deadline. */
  readonly sql: Sql
  /** The driver's own, for what needs no such care. */
  readonly bare: Sql
  readonly care: Care
  readonly transactions: Places
}

/**
 * Opens up to `max` connections, each when it is first needed. `statementMilliseconds` is the server's limit for one
 * statement, and for a transaction in which nothing is asked; an answer that is not there soon after it will never come.
 * 0 for connections that wait on purpose.
 */
export const openConnections = (options: {
  url: string
  service: string
  max: number
  statementMilliseconds: number
  /** Connections that hold session locks live for as long as they can; those of a pool are replaced now and then. */
  isLasting?: boolean
  /** Connections to the same database that are open already. */
  elder?: Connections
  watch?: StatementWatch | undefined
}): Connections => {
  const { url, service, max, statementMilliseconds, isLasting = false, elder, watch = unwatched } = options
  const sockets = openSockets(statementMilliseconds === 0 ? undefined : statementMilliseconds + 2000)
  const bare = postgres<Types>(url, {
    max,
    connect_timeout: connectSeconds,
    max_lifetime: isLasting ? null : 60 * 30,
    // The driver's default grows to 20 s, for which a query would wait although the server is back.
    backoff: () => 0.1,
    socket: (addresses: Addresses) => {
      forgoTypes(bare, elder?.bare)
      return sockets.open(addresses)
    },
    onnotice: () => {},
    connection: {
      application_name: service,
      options: longStartup,
      statement_timeout: statementMilliseconds,
      idle_in_transaction_session_timeout: statementMilliseconds === 0 ? 30_000 : statementMilliseconds,
    },
    types: { bigint: integers(20), xid8: integers(5069), bigints: integerArrays(1016) },
  } as postgres.Options<Types>) as unknown as Sql
  const care = { ...sockets.deadline, watch }
  return {
    bare,
    sql: failingWell(bare, care),
    care,
    transactions: places(transactionsAtATime(max)),
  }
}

/** What of the driver's options (postgres 3.4.9, src/index.js) is not in its types. */
interface SharedOptions {
  fetch_types: boolean
  /** By type: how values are read and written. */
  readonly parsers: Record<number, unknown>
  readonly serializers: Record<number, unknown>
  /** The type of arrays of a type. */
  readonly shared: { readonly typeArrayMap: Record<number, number> }
}

/**
 * Each new connection asks for the array types, and nobody waits for the answer: a session that is ended at that moment
 * is an unhandled rejection, which ends the process. What one connection of a pool learned holds for all, and for those
 * that are opened beside it.
 */
const forgoTypes = (sql: Sql, elder: Sql | undefined): void => {
  const own = sql.options as unknown as SharedOptions
  const known = elder?.options as unknown as SharedOptions | undefined
  for (const [type, array] of Object.entries(known?.shared.typeArrayMap ?? {})) {
    own.shared.typeArrayMap[Number(type)] = array
    own.parsers[array] ??= known!.parsers[array]
    own.serializers[array] ??= known!.serializers[array]
  }
  if (Object.keys(own.shared.typeArrayMap).length > 0) own.fetch_types = false
}

interface Addresses {
  readonly ssl?: unknown
  /** `direct`: TLS begins without being asked for. */
  readonly sslnegotiation?: string
  readonly path?: string | false
  readonly host: readonly string[]
  readonly port: readonly number[]
}

/**
 * Makes the sockets of a pool and destroys those on which no answer comes. A machine that vanished closes nothing: the
 * kernel keeps sending into the void for a quarter of an hour, and each query on such a connection would hang as long.
 */
const openSockets = (answerMilliseconds: number | undefined) => {
  const heard = new Map<Socket, { bytes: number; at: number }>()
  let opened = 0
  let listening: NodeJS.Timeout | undefined
  const listen = (): void => {
    for (const [socket, last] of heard) {
      if (socket.destroyed) heard.delete(socket)
      else if (socket.bytesRead !== last.bytes) heard.set(socket, { bytes: socket.bytesRead, at: Date.now() })
    }
    if (heard.size > 0) return
    clearInterval(listening)
    listening = undefined
  }
  return {
    open({ ssl, sslnegotiation, path, host, port }: Addresses): Socket {
      const next = opened++ % host.length
      const socket = path ? createConnection(path) : createConnection(port[next]!, host[next])
      socket.setNoDelay(true).setKeepAlive(true, 10_000)
      if (ssl && sslnegotiation !== 'direct') askForTls(socket)
      if (answerMilliseconds !== undefined) {
        heard.set(socket, { bytes: 0, at: Date.now() })
        listening ??= setInterval(listen, 1000).unref()
      }
      return socket
    },
    deadline: {
      milliseconds: answerMilliseconds,
      passed(): void {
        listen()
        for (const [socket, { at }] of heard) {
          // An idle one may be closed as well: it is opened again when it is needed.
          if (Date.now() - at >= answerMilliseconds! - 1500) socket.destroy()
        }
      },
    },
  }
}
