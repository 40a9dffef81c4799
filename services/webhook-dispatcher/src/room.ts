import type { Bus } from '@parley/bus'
import type { Database, Sql, TransactionSql } from '@parley/db'
import { type Ask, room } from '@parley/kit'
import type { Dispatcher } from './deliveries/dispatcher.ts'
import type { Poster } from './posts/poster.ts'
import type { AccountKinds } from './triggers/account-kinds.ts'

export interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface Deps {
  readonly log: Log
  readonly database: Database
  readonly bus: Bus
  readonly ask: Ask
  readonly kinds: AccountKinds
  readonly dispatcher: Dispatcher
  readonly poster: Poster
  readonly logDays: number
}

/** What stores read and write through: the database itself, or one transaction of it. */
export type Queries = Sql | TransactionSql

export const { endpoint } = room<Deps>()
