import type { Bus } from '@parley/bus'
import { type Ask, room } from '@parley/kit'
import type { Redis } from 'ioredis'
import type { Accounts } from './accounts/accounts.ts'
import type { Polls } from './polls/polls.ts'
import type { ShardLog } from './queues/shard-log.ts'
import type { StateRoom } from './registration/state-room.ts'
import type { Release } from './shards/release.ts'
import type { ShardOwners } from './shards/shard-owners.ts'
import type { ShardStore } from './store/shard-store.ts'

export interface Deps {
  readonly bus: Bus
  readonly subscriber: Redis
  readonly log: Bus['log']
  readonly ask: Ask
  /** Number of shards. */
  readonly shards: number
  readonly store: ShardStore
  readonly shardLog: ShardLog
  readonly polls: Polls
  readonly owners: ShardOwners
  readonly accounts: Accounts
  readonly release: Release
  /** Room for the states of registrations. */
  readonly states: StateRoom
}

export const { endpoint, internal } = room<Deps>()
