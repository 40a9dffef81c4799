/** What a reader muted or follows, as SQL about message `m`. */
import type { Queries } from '../room.ts'
import { isInMutedChannel } from './conditions.ts'
import type { Condition } from './nearest.ts'

/** Nobody can follow a topic yet. */
export const isFollowed = (sql: Queries, _readerId: number): Condition => sql`false`

/** In a channel that the reader muted. */
export const isInMutedPlace = (sql: Queries, readerId: number): Condition => isInMutedChannel(sql, readerId)
