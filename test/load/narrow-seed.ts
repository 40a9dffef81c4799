/** A large history, written straight into the database of channels: sending a million messages would take minutes. */
import { openDatabase } from '@parley/db'

interface SeedPlace {
  readonly realmId: number
  readonly readerId: number
  readonly userIds: readonly number[]
  readonly channelIds: readonly number[]
}

/** Messages of the newest part that the reader has not read. */
const unread = 50_000

/**
 * Writes `count` messages of a year: nine of ten into the channels (a few are busy, most are not), the others into the
 * direct conversations that there are; and what the reader did with them. Repeated with the same numbers it writes the same.
 */
export const seedMessages = async (databaseUrl: string, place: SeedPlace, count: number): Promise<void> => {
  const { realmId, readerId, userIds, channelIds } = place
  const database = await openDatabase({
    url: databaseUrl,
    service: 'bench',
    poolSize: 1,
    statementMilliseconds: 0,
  })
  const { sql } = database
  await sql.begin(async (tx) => {
    await tx`SELECT setseed(0.509)`
    // Filling an index of words row by row costs more than building it once.
    const [words] = await tx<{ definition: string }[]>`
      SELECT indexdef AS definition FROM pg_indexes WHERE indexname = 'messages_by_words'`
    await tx`DROP INDEX messages_by_words`
    await tx`
      CREATE TEMPORARY TABLE places ON COMMIT DROP AS
      SELECT row_number() OVER (ORDER BY channel_id NULLS LAST, recipient_id) AS number, *
      FROM (
        SELECT recipient_id, id AS channel_id, membership_version FROM channels
        WHERE id = ANY (${[...channelIds]}::bigint[])
        UNION ALL
        SELECT recipient_id, NULL, 0 FROM conversations WHERE realm_id = ${realmId}
      ) one`
    const [sizes] = await tx<{ channels: number; direct: number }[]>`
      SELECT count(channel_id)::int AS channels, count(*) FILTER (WHERE channel_id IS NULL)::int AS direct FROM places`
    const { channels, direct } = sizes!
    await tx`
      INSERT INTO messages (
        realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content, rendered_content,
        client, is_me_message, has_link, has_image, has_attachment, has_reaction, read_by_sender, shared_flags)
      SELECT ${realmId}, p.recipient_id, p.channel_id, (${[...userIds]}::bigint[])[d.sender], p.membership_version,
        now() - interval '1 year' * (1 - d.n / ${count}::float8),
        CASE WHEN p.channel_id IS NULL THEN '' ELSE d.resolved || 'topic ' || d.topic END,
        d.content, '<p>' || d.content || '</p>', 'bench', false, d.dice < 0.05, d.dice < 0.005,
        d.dice BETWEEN 0.05 AND 0.06, d.dice BETWEEN 0.1 AND 0.14, true,
        CASE WHEN d.dice BETWEEN 0.2 AND 0.201 AND p.channel_id IS NOT NULL THEN 16 ELSE 0 END
      FROM (
        SELECT n, random() AS dice, 1 + floor(random() * ${userIds.length})::int AS sender,
          floor(power(random(), 2) * 100)::int AS topic,
          CASE WHEN random() < 0.03 THEN '✔ ' ELSE '' END AS resolved,
          CASE WHEN random() < 0.9 THEN 1 + floor(power(random(), 3) * ${channels})::int
            ELSE 1 + ${channels}::int + floor(random() * ${direct})::int END AS number,
          (SELECT string_agg('word' || floor(power(random(), 3) * 4000)::int, ' ')
            FROM generate_series(1, 12 + (n * 0)::int)) AS content
        FROM generate_series(1, ${count}) AS n
      ) d JOIN places p USING (number)
      ORDER BY d.n`
    await tx.unsafe(words!.definition)

    const flags = (bit: number, each: number) => tx`
      INSERT INTO message_flags (user_id, message_id, flags)
      SELECT ${readerId}, id, ${bit} FROM messages WHERE realm_id = ${realmId} AND id % ${each} = 0
      ON CONFLICT (user_id, message_id) DO UPDATE SET flags = message_flags.flags | excluded.flags`
    await flags(2, 2003)
    await flags(8, 503)
    await flags(64, 1009)
    await tx`
      INSERT INTO read_marks (user_id, recipient_id, read_up_to)
      SELECT ${readerId}, recipient_id, (SELECT max(id) - ${unread} FROM messages) FROM places
      ON CONFLICT (user_id, recipient_id) DO UPDATE SET read_up_to = excluded.read_up_to`
    await tx`
      INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
      SELECT ${readerId}, channel_id, 'topic ' || (number % 40), CASE WHEN number % 3 = 0 THEN 1 ELSE 3 END
      FROM places WHERE channel_id IS NOT NULL`
    await tx`
      UPDATE subscriptions SET is_muted = true
      WHERE user_id = ${readerId} AND channel_id IN (SELECT channel_id FROM places WHERE number % 10 = 0)`
  })
  await sql`VACUUM ANALYZE`
  await database.close()
}
