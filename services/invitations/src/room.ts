import type { Database, SnapshotSql, Sql, TransactionSql } from '@parley/db'
import { room } from '@parley/kit'

export interface Deps {
  readonly database: Database
}

/** What stores read and write through: the database itself, one transaction, or one snapshot of it. */
export type Queries = Sql | TransactionSql | SnapshotSql

export const { endpoint, section } = room<Deps>()
