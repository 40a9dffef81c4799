import type { Bus } from '@parley/bus'
import type { Caller } from '@parley/contracts'
import type { Database, Sql, TransactionSql } from '@parley/db'
import { type Ask, room } from '@parley/kit'
import type { TextCache } from '@parley/kit/text-cache'
import type { ChannelDirectory } from './channels/channel-directory.ts'
import type { EmojiDirectory } from './directory/emoji-directory.ts'
import type { NewsBell } from './directory/news-bell.ts'
import type { PersonalDirectory } from './directory/personal-directory.ts'
import type { RealmDirectory } from './directory/realm-directory.ts'
import type { UserActivity } from './directory/user-activity.ts'
import type { UserDirectory } from './directory/user-directory.ts'
import type { ConversationDirectory } from './messages/conversation-directory.ts'
import type { MessageSender } from './messages/message-batcher.ts'
import type { Bell } from './scheduler/bell.ts'

export interface Deps {
  readonly log: Log
  readonly database: Database
  readonly bus: Bus
  readonly ask: Ask
  readonly realms: RealmDirectory
  readonly users: UserDirectory
  /** Told of every request of a person. */
  readonly activity: UserActivity
  readonly personal: PersonalDirectory
  readonly emoji: EmojiDirectory
  /** To be rung when news of identity was taken into the database. */
  readonly newsBell: NewsBell
  readonly channels: ChannelDirectory
  readonly conversations: ConversationDirectory
  /** Lists of subscribers as they stand in the state of registrations. */
  readonly subscriberTexts: TextCache
  readonly sender: MessageSender
  /** To be rung when something was written that is due at a time. */
  readonly bell: Bell
  /** Address of the organization at the root host. */
  readonly publicUrl: string
}

interface Log {
  warn(details: object, message: string): void
}

/** What stores read and write through: the database itself, or one transaction of it. */
export type Queries = Sql | TransactionSql

const words = room<Deps>()
export const { internal, section, pagedSection } = words

/** Who calls is active. (Who registers too: subscriptions/subscription-section.ts.) */
export const endpoint: typeof words.endpoint = (contract, handle) =>
  words.endpoint(contract, (context) => {
    const { user } = context.caller as Caller
    if (user !== null) context.deps.activity.note(user.id)
    return handle(context)
  })
