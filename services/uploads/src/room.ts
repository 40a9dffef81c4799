import type { BlobStore } from '@parley/blob'
import type { Bus } from '@parley/bus'
import type { Database, SnapshotSql, Sql, TransactionSql } from '@parley/db'
import { type Ask, room } from '@parley/kit'
import type { RealmDirectory } from './directory/realm-directory.ts'
import type { ImageWorkshop } from './images/image-workshop.ts'
import type { TemporaryLinks } from './serving/temporary-links.ts'

/** How large things may be, in MiB. */
interface SizeLimits {
  readonly file: number
  readonly avatar: number
}

export interface Log {
  warn(details: object, message: string): void
}

export interface Deps {
  readonly log: Log
  readonly database: Database
  readonly bus: Bus
  readonly ask: Ask
  readonly store: BlobStore
  readonly realms: RealmDirectory
  readonly sizes: SizeLimits
  readonly links: TemporaryLinks
  readonly workshop: ImageWorkshop
  /** Days for which a file is kept to which nothing refers. */
  readonly graceDays: number
}

/** What stores read and write through: the database itself, one transaction, or one snapshot of it. */
export type Queries = Sql | TransactionSql | SnapshotSql

export const { endpoint, internal, section } = room<Deps>()
