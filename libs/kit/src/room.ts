import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type {
  AccessOf,
  AnyEndpoint,
  AnyInternal,
  AnySection,
  Caller,
  CallerRealm,
  ErrorName,
  ErrorsOf,
  EventsOf,
  InputOf,
  Issuer,
  KnownCaller,
  OutputOf,
  ParamsOf,
  Refuse,
  ReplyOf,
  SectionData,
  SectionOptions,
} from '@parley/contracts'
import type { Database, Snapshot, SnapshotSql } from '@parley/db'
import type { Paged } from './pages.ts'
import type { Tx } from './transaction.ts'

/** An answer that is JSON text already (the whole body, `result` and `msg` included). */
export class PreparedReply {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * An answer that is JSON text already, in pieces (at least one; together the whole body): for lists that are as long as an
 * organization is large. The next piece is made while one is sent, so two are held, at the pace of the client.
 */
export class PiecedReply {
  /** Text, or bytes of it; the last one is text. */
  readonly pieces: AsyncIterator<string | Uint8Array>
  constructor(pieces: AsyncIterator<string | Uint8Array>) {
    this.pieces = pieces
  }
}

/** What endpoints that answer with the envelope may answer instead of the reply's fields. */
type ReadyReply = PreparedReply | PiecedReply | StreamedReply

/** An answer that is not the envelope; of endpoints declared with `answer: 'stream'`, and only of those. */
export class StreamedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null when there is nothing to send, as in answers to HEAD. */
  readonly content: Readable | Buffer | null
  constructor(status: number, headers: Readonly<Record<string, string>>, content: Readable | Buffer | null) {
    this.status = status
    this.headers = headers
    this.content = content
  }
}

/** One file of a multipart body, on its way. It has to be read, or destroyed, before the next one comes. */
export interface SentFile {
  readonly field: string
  /** As the client wrote it, without folders; undefined when it gave none. */
  readonly name: string | undefined
  readonly type: string
  readonly content: Readable
}

export interface RequestFacts {
  readonly id: string
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The body as it arrives, of endpoints declared with `body: 'stream'`. */
  readonly body: Readable
  /**
   * The files of a multipart body, one after the other; none when it is no multipart body. Fields go to `onField`.
   *
   * @throws ApiError BAD_REQUEST for a body that is malformed or breaks off.
   */
  files(onField?: (name: string, value: string) => void): AsyncIterable<SentFile>
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal
}

/** What the handler of one endpoint is given; everything in it is as narrow as the contract says. */
export interface Context<E extends AnyEndpoint, Deps> {
  readonly caller: AccessOf<E> extends 'anyone' | 'spectator' ? Caller : KnownCaller
  readonly params: ParamsOf<E>
  /** The file beside the parameters, of endpoints that declare one. */
  readonly file: Buffer | undefined
  readonly deps: Deps
  readonly refuse: Refuse<ErrorsOf<E>>
  /** One transaction of this service's database; only the events that the contract names can be emitted in it. */
  readonly transaction: <T>(work: (tx: Tx<EventsOf<E>>) => Promise<T>) => Promise<T>
  readonly request: RequestFacts
}

export interface Handler<E extends AnyEndpoint, Deps> {
  readonly endpoint: E
  readonly handle: (context: Context<E, Deps>) => Promise<ReplyOf<E> | ReadyReply>
}

export interface InternalContext<I extends AnyInternal, Deps> {
  readonly input: InputOf<I>
  readonly issuer: Issuer
  readonly deps: Deps
  readonly refuse: Refuse<ErrorName>
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
}

export interface InternalHandler<I extends AnyInternal, Deps> {
  readonly internal: I
  readonly handle: (context: InternalContext<I, Deps>) => Promise<OutputOf<I>>
}

/** Reads one section of a registration's state; all sections asked of a service share one snapshot. */
export interface SectionHandler<S extends AnySection, Deps, Data = Paged<SectionData<S>>> {
  readonly section: S
  readonly read: (context: {
    caller: KnownCaller
    options: SectionOptions
    sql: SnapshotSql
    snapshot: Snapshot
    deps: Deps
  }) => Promise<Data>
  /** The same for who looks on without an account; a section without this is left out for them. */
  readonly readForSpectator:
    | ((context: {
        realm: CallerRealm
        options: SectionOptions
        sql: SnapshotSql
        deps: Deps
      }) => Promise<Data>)
    | undefined
}

/** Dependencies of a service that has a database of its own. */
export interface WithDatabase {
  readonly database: Database
}

/** The words in which a service's files are written; `Deps` is what the service opened. */
export const room = <Deps>() => ({
  endpoint: <E extends AnyEndpoint>(
    endpoint: E,
    handle: (context: Context<E, Deps>) => Promise<ReplyOf<E> | ReadyReply>,
  ): Handler<E, Deps> => ({ endpoint, handle }),

  internal: <I extends AnyInternal>(
    internal: I,
    handle: (context: InternalContext<I, Deps>) => Promise<OutputOf<I>>,
  ): InternalHandler<I, Deps> => ({ internal, handle }),

  section: <S extends AnySection>(
    section: S,
    read: SectionHandler<S, Deps, SectionData<S>>['read'],
    readForSpectator?: SectionHandler<S, Deps, SectionData<S>>['readForSpectator'],
  ): SectionHandler<S, Deps, SectionData<S>> => ({ section, read, readForSpectator }),

  /** A section whose lists may be long: they may be given as {@link Pages}. */
  pagedSection: <S extends AnySection>(
    section: S,
    read: SectionHandler<S, Deps>['read'],
    readForSpectator?: SectionHandler<S, Deps>['readForSpectator'],
  ): SectionHandler<S, Deps> => ({ section, read, readForSpectator }),
})
