import type { InputOf } from '@parley/contracts'
import type { sendAs } from '@parley/contracts/channels/internals'
import type { Queries } from '../room.ts'

export type Recipients = InputOf<typeof sendAs>['to']

/** A message that a bot is going to send. */
export interface NewPost {
  /** Unique for ever. */
  readonly name: string
  readonly realm_id: number
  readonly subdomain: string
  readonly bot_id: number
  readonly delivery_id: number
  /** `reply`: what the receiver answered. `notice`: to the conversation. `owner_notice`: to the bot's owner. */
  readonly kind: 'reply' | 'notice' | 'owner_notice'
  readonly recipients: Recipients
  readonly content: string
  /** JSON text of the widget that it shows. */
  readonly widget_content?: string | undefined
}

export interface Post extends Omit<NewPost, 'widget_content'> {
  readonly widget_content: string | null
  readonly id: number
  readonly attempts: number
  /** Seconds since it was written. */
  readonly age: number
}

/** Seconds for which whoever took a message has it to itself: longer than a question to channels lasts. */
const leaseSeconds = 30

export const insertPosts = async (sql: Queries, posts: readonly NewPost[]): Promise<void> => {
  for (const post of posts) {
    await sql`
      INSERT INTO posts (name, realm_id, subdomain, bot_id, delivery_id, kind, recipients, content, widget_content)
      VALUES (${post.name}, ${post.realm_id}, ${post.subdomain}, ${post.bot_id}, ${post.delivery_id}, ${post.kind},
        ${JSON.stringify(post.recipients)}::text::jsonb, ${post.content}, ${post.widget_content ?? null})
      ON CONFLICT (name) DO NOTHING`
  }
}

/** Takes what is to be sent now; whoever dies with it leaves it to others after the lease. */
export const claimPosts = async (sql: Queries, limit: number): Promise<Post[]> => {
  const rows = await sql<Post[]>`
    UPDATE posts p SET due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    WHERE p.id = ANY (ARRAY (
      SELECT id FROM posts WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING p.id, p.name, p.realm_id, p.subdomain, p.bot_id, p.delivery_id, p.kind, p.recipients, p.content,
      p.widget_content, p.attempts, extract(epoch FROM clock_timestamp() - p.created_at)::float8 AS age`
  return [...rows]
}

export const removePost = async (sql: Queries, id: number): Promise<void> => {
  await sql`DELETE FROM posts WHERE id = ${id}`
}

export const postpone = async (sql: Queries, id: number, seconds: number): Promise<void> => {
  await sql`UPDATE posts SET due_at = clock_timestamp() + make_interval(secs => ${seconds}) WHERE id = ${id}`
}
