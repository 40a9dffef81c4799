import type { Bus } from '@parley/bus'
import type { Database, Sql, TransactionSql } from '@parley/db'
import { type Ask, room } from '@parley/kit'
import type { UserDirectory } from './accounts/user-directory.ts'
import type { EmojiDirectory } from './emoji/emoji-directory.ts'
import type { LiveEvents } from './live/live-events.ts'
import type { PresenceBoards } from './presences/presence-boards.ts'
import type { PresenceNews } from './presences/presence-news.ts'
import type { PresenceStore } from './presences/presence-store.ts'
import type { PersonalChoices } from './settings/personal-choices.ts'
import type { RealmRulesDirectory } from './settings/realm-rules.ts'

export interface Deps {
  readonly database: Database
  readonly bus: Bus
  readonly ask: Ask
  readonly log: Log
  readonly users: UserDirectory
  readonly emoji: EmojiDirectory
  readonly live: LiveEvents
  readonly presences: PresenceStore
  readonly boards: PresenceBoards
  readonly news: PresenceNews
  readonly choices: PersonalChoices
  readonly rules: RealmRulesDirectory
  /** Whether guests who may not know everybody do not see everybody's presence either. */
  readonly areLimitsKept: boolean
}

export interface Log {
  warn(details: object, message: string): void
}

/** What stores read and write through: the database itself, or one transaction of it. */
export type Queries = Sql | TransactionSql

export const { endpoint, section } = room<Deps>()
