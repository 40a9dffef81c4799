import type { Database, Sql, TransactionSql } from '@parley/db'
import { type Ask, room } from '@parley/kit'
import type { ApiKeys } from './keys/api-keys.ts'
import type { Directory } from './ldap/directory.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { DeletionBounds } from './realms/deletion-rules.ts'

export interface Deps {
  readonly database: Database
  readonly ask: Ask
  readonly keys: ApiKeys
  readonly passwords: Passwords
  /** Where people are known beside the server; undefined where there is none. */
  readonly directory: Directory | undefined
  /** Address of the root organization, without a trailing slash. */
  readonly publicUrl: string
  /** Public keys by which clients ask for animated pictures; empty without one. */
  readonly giphyKey: string
  readonly tenorKey: string
  /** Whether the server runs in development mode. */
  readonly isDevelopment: boolean
  /** When the data of deactivated organizations may be deleted. */
  readonly deletionBounds: DeletionBounds
}

/** What stores read and write through: the database itself, or one transaction of it. */
export type Queries = Sql | TransactionSql

export const { endpoint, internal, section } = room<Deps>()
