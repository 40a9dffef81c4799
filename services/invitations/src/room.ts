import type { Bus } from '@parley/bus'
import type { Database, SnapshotSql, Sql, TransactionSql } from '@parley/db'
import { type Ask, room } from '@parley/kit'
import type { WorkLoop } from '@parley/kit/work-loop'
import type { LinkKeys } from './invites/link-keys.ts'

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface Deps {
  readonly log: Log
  readonly database: Database
  readonly bus: Bus
  readonly ask: Ask
  readonly keys: LinkKeys
  /** Address of the root organization, without a trailing slash. */
  readonly publicUrl: string
  /** Minutes for which an invitation is valid unless its maker says otherwise. */
  readonly linkValidity: number
  readonly isDevelopment: boolean
  /** Whether everybody may make an organization. */
  readonly isFoundingOpen: boolean
  /** Most invitations of an organization by mail within 24 hours. */
  readonly invitationsPerDay: number
  /** Whether mail goes anywhere: to a mail server, or to where developers look at it. */
  readonly hasMail: boolean
  /** Sends mail. */
  readonly mailer: WorkLoop
  /** Goes on with people on their way in whom nobody attends to. */
  readonly usher: WorkLoop
  /** Goes on with organizations to which nobody attends. */
  readonly founder: WorkLoop
  /** Judges inviters whose rights may have changed. */
  readonly judge: WorkLoop
}

/** What stores read and write through: the database itself, one transaction, or one snapshot of it. */
export type Queries = Sql | TransactionSql | SnapshotSql

export const { endpoint, internal, section } = room<Deps>()
