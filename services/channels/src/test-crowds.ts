/** Many accounts and messages for tests, each made by one statement. */
import type { TestRoom } from './test-room.ts'

/** Runs `work` with so many accounts beside those of the room. */
export const withCrowd = async (
  { deps, realm }: TestRoom,
  count: number,
  work: (userIds: number[]) => Promise<void>,
): Promise<void> => {
  const { sql } = deps.database
  const first = 100_001
  await sql`
    INSERT INTO users SELECT n, ${realm.id}, 'p' || n || '@x.example', 'p' || n || '@x.example', 'P', 400, true,
      NULL, NULL, 'G', 1, 1 FROM generate_series(${first}::int, ${first + count - 1}::int) AS n`
  await work(Array.from({ length: count }, (_, n) => first + n))
  await sql`DELETE FROM users WHERE id BETWEEN ${first} AND ${first + count - 1}`
}

/** Has a message so many times more, as if it had been sent again and again. */
export const repeatMessage = async ({ deps }: TestRoom, id: number, count: number): Promise<void> => {
  await deps.database.sql`
    INSERT INTO messages (realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content,
      rendered_content, client, is_me_message, has_link, has_image, has_attachment, read_by_sender)
    SELECT realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content,
      rendered_content, client, is_me_message, has_link, has_image, has_attachment, read_by_sender
    FROM messages, generate_series(1, ${count}::int) WHERE id = ${id}`
}
