/** What a reader muted or follows, as SQL about message `m`. */
import type { Queries } from '../room.ts'
import type { Condition } from './nearest.ts'

/** 1 muted, 2 unmuted, 3 followed; 0 where the reader said nothing of the topic. */
const policy = (sql: Queries, readerId: number) => sql`
  coalesce((
    SELECT t.visibility_policy FROM user_topics t
    WHERE t.user_id = ${readerId} AND t.channel_id = m.channel_id AND lower(t.topic) = lower(m.topic)), 0)`

export const isFollowed = (sql: Queries, readerId: number): Condition => sql`${policy(sql, readerId)} = 3`

/** In a topic that the reader muted, or in a muted channel without having said otherwise of the topic. */
export const isInMutedPlace = (sql: Queries, readerId: number): Condition => sql`
  (CASE ${policy(sql, readerId)} WHEN 1 THEN true WHEN 0 THEN EXISTS (
    SELECT FROM subscriptions u
    WHERE u.user_id = ${readerId} AND u.channel_id = m.channel_id AND u.is_muted) ELSE false END)`
