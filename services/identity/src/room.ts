import type { BlobStore } from '@parley/blob'
import type { Bus } from '@parley/bus'
import type { Caller } from '@parley/contracts'
import type { Database, SnapshotSql, Sql, TransactionSql } from '@parley/db'
import { type Ask, room } from '@parley/kit'
import type { TextCache } from '@parley/kit/text-cache'
import type { WorkLoop } from '@parley/kit/work-loop'
import type { BigBlueButton } from './calls/big-blue-button.ts'
import type { ExportLinks } from './exports/export-links.ts'
import type { ApiKeys } from './keys/api-keys.ts'
import type { Directory } from './ldap/directory.ts'
import { type News, type NewsWait, noting } from './news.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { DeletionBounds } from './realms/deletion-rules.ts'

export interface Deps {
  readonly database: Database
  readonly bus: Bus
  readonly ask: Ask
  /** Waits until what was published is known to those who act by it. */
  readonly newsWait: NewsWait
  readonly keys: ApiKeys
  /** User objects as they stand in the state of registrations. */
  readonly accountTexts: TextCache
  readonly passwords: Passwords
  /** Where people are known beside the server; undefined where there is none. */
  readonly directory: Directory | undefined
  /** Where video calls can be had besides; undefined where there is none. */
  readonly bigBlueButton: BigBlueButton | undefined
  /** Address of the root organization, without a trailing slash. */
  readonly publicUrl: string
  /** Public keys by which clients ask for animated pictures; empty without one. */
  readonly giphyKey: string
  readonly tenorKey: string
  /** Whether the server runs in development mode. */
  readonly isDevelopment: boolean
  /** When the data of deactivated organizations may be deleted. */
  readonly deletionBounds: DeletionBounds
  readonly log: Log
  /** Opened when it is needed: who is calling can be told without it. @throws EngineUnavailableError */
  readonly store: () => Promise<BlobStore>
  readonly exportLinks: ExportLinks
  /** Exports that an organization may ask for within a week; null for any number. */
  readonly exportsPerWeek: number | null
  /** Makes exports. */
  readonly exporter: WorkLoop
  /** Takes archives into new organizations. */
  readonly importer: WorkLoop
  /** Deletes organizations whose time has come. */
  readonly undertaker: WorkLoop
  /** Aborted when the process leaves: long work stops, and others go on with it. */
  readonly leaving: AbortController
}

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/** What stores read and write through: the database itself, or one transaction of it. */
export type Queries = Sql | TransactionSql | SnapshotSql

const words = room<Deps>()
export const { internal, section, pagedSection } = words

/** Who is answered meets what they changed with their next request. */
export const endpoint: typeof words.endpoint = (contract, handle) =>
  words.endpoint(contract, async (context) => {
    const news: News[] = []
    const { transaction } = context
    const answer = await handle({
      ...context,
      transaction: (work) => transaction((tx) => work(noting(tx, news))),
    })
    if (news.length > 0) await context.deps.newsWait((context.caller as Caller).realm.id, news)
    return answer
  })
