-- Sends a batch of messages in one round trip: what must be exact is checked, then messages, exceptional flags,
-- local IDs and announcements are written together. One outcome per message, in the order given:
--   sent        stored now
--   repeated    its (queue_id, local_id) was sent before; id and time are those of the first
--   stale       the channel has changed since the caller looked at it (channel_version): look again
--   not_member  only members may send here, and the sender is not one now
--
-- `realms` are the realms of the batch, ascending. A message of the batch has the fields named below; those that
-- need its ID or time come as JSON text to be put around them: `message_tail` is the message object from the third
-- field on, `flags` what recipients see, `event_tail` what follows the flags. `audience` is complete but for the
-- members of a channel at the version found here; its `personal` always has the sender. `marks` (null: none) are
-- pairs of user and exceptional flags; in a channel, marks of people who are not subscribed now do not count.
CREATE FUNCTION send_messages(realms bigint[], batch jsonb)
RETURNS TABLE (outcome text, id bigint, sent_at_seconds bigint)
LANGUAGE plpgsql AS $$
DECLARE
  realm bigint;
BEGIN
  FOREACH realm IN ARRAY realms LOOP
    PERFORM lock_realm_order(realm);
  END LOOP;
  -- A statement of its own, and so a snapshot taken under the locks.
  RETURN QUERY
  WITH given AS (
    SELECT g.* FROM ROWS FROM (jsonb_to_recordset(batch) AS (
      realm_id bigint, recipient_id bigint, channel_id bigint, channel_version bigint, members_only boolean,
      sender_id bigint, topic text, content text, rendered_content text, client text,
      is_me_message boolean, has_link boolean, has_image boolean, has_attachment boolean,
      read_by_sender boolean, shared_flags smallint, queue_id text, local_id text,
      message_tail text, flags text, event_tail text, audience jsonb, marks jsonb,
      mentioned_user_ids text, traceparent text
    )) WITH ORDINALITY AS g(
      realm_id, recipient_id, channel_id, channel_version, members_only,
      sender_id, topic, content, rendered_content, client,
      is_me_message, has_link, has_image, has_attachment,
      read_by_sender, shared_flags, queue_id, local_id,
      message_tail, flags, event_tail, audience, marks,
      mentioned_user_ids, traceparent, position
    )
  ), judged AS MATERIALIZED (
    SELECT g.*,
      c.membership_version,
      earlier.message_id AS earlier_id,
      earlier.sent_at AS earlier_sent_at,
      CASE
        WHEN g.channel_id IS NULL THEN NULL
        WHEN c.version IS DISTINCT FROM g.channel_version THEN 'stale'
        WHEN g.members_only AND NOT EXISTS (
          SELECT FROM subscription_periods p
          WHERE p.channel_id = g.channel_id AND p.user_id = g.sender_id AND p.to_version IS NULL
        ) THEN 'not_member'
      END AS refusal,
      CASE WHEN g.local_id IS NULL THEN g.position
        ELSE min(g.position) OVER (PARTITION BY g.sender_id, g.queue_id, g.local_id) END AS first_position
    FROM given g
    LEFT JOIN LATERAL (SELECT k.version, k.membership_version FROM channels k WHERE k.id = g.channel_id) c ON true
    LEFT JOIN LATERAL (
      SELECT s.message_id, s.sent_at FROM sent_local_ids s
      WHERE s.sender_id = g.sender_id AND s.queue_id = g.queue_id AND s.local_id = g.local_id
    ) earlier ON g.local_id IS NOT NULL
  ), numbered AS MATERIALIZED (
    SELECT j.*, nextval('messages_id_seq') AS new_id, clock.now AS sent_at,
      floor(extract(epoch FROM clock.now))::bigint AS seconds
    FROM (
      SELECT * FROM judged
      WHERE judged.refusal IS NULL AND judged.earlier_id IS NULL AND judged.first_position = judged.position
      ORDER BY judged.position
    ) j, (SELECT clock_timestamp() AS now) clock
  ), stored AS (
    INSERT INTO messages (
      id, realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content,
      rendered_content, client, is_me_message, has_link, has_image, has_attachment, read_by_sender, shared_flags)
    OVERRIDING SYSTEM VALUE
    SELECT n.new_id, n.realm_id, n.recipient_id, n.channel_id, n.sender_id, coalesce(n.membership_version, 0),
      n.sent_at, n.topic, n.content, n.rendered_content, n.client, n.is_me_message, n.has_link, n.has_image,
      n.has_attachment, n.read_by_sender, n.shared_flags
    FROM numbered n
  ), named AS (
    INSERT INTO sent_local_ids (sender_id, queue_id, local_id, message_id, sent_at)
    SELECT n.sender_id, n.queue_id, n.local_id, n.new_id, n.sent_at FROM numbered n WHERE n.local_id IS NOT NULL
  ), marked AS (
    INSERT INTO message_flags (user_id, message_id, flags)
    SELECT m.user_id, n.new_id, m.flags
    FROM numbered n CROSS JOIN LATERAL jsonb_to_recordset(n.marks) AS m(user_id bigint, flags smallint)
    WHERE n.channel_id IS NULL OR EXISTS (
      SELECT FROM subscription_periods p
      WHERE p.channel_id = n.channel_id AND p.user_id = m.user_id AND p.to_version IS NULL)
  ), announced AS (
    INSERT INTO outbox (topic, key, value, audience, traceparent)
    SELECT a.topic, a.key, a.value, a.audience, n.traceparent
    FROM numbered n CROSS JOIN LATERAL (VALUES
      ('client-events', n.realm_id::text,
        '{"type":"message","message":{"id":' || n.new_id || ',"timestamp":' || n.seconds || ','
          || n.message_tail || ',"flags":' || n.flags || n.event_tail,
        CASE WHEN n.channel_id IS NULL THEN n.audience
          ELSE n.audience || jsonb_build_object('resolve', jsonb_build_object(
            'name', 'channel-members',
            'args', jsonb_build_object('channel_id', n.channel_id, 'version', n.membership_version)))
            || CASE WHEN n.marks IS NULL THEN '{}' ELSE jsonb_build_object('personal', (
              SELECT jsonb_object_agg(own.user_id, own.fields)
              FROM jsonb_each(n.audience -> 'personal') AS own(user_id, fields)
              WHERE own.user_id::bigint = n.sender_id OR EXISTS (
                SELECT FROM subscription_periods p
                WHERE p.channel_id = n.channel_id AND p.user_id = own.user_id::bigint AND p.to_version IS NULL)
            )) END END),
      ('channels.messages', n.recipient_id::text,
        '{"realm_id":' || n.realm_id || ',"message":{"id":' || n.new_id || ',"timestamp":' || n.seconds || ','
          || n.message_tail || ',"mentioned_user_ids":' || n.mentioned_user_ids || '}',
        NULL::jsonb)
    ) AS a(topic, key, value, audience)
    ORDER BY n.position
  )
  SELECT
    CASE WHEN j.earlier_id IS NOT NULL THEN 'repeated'
      WHEN j.refusal IS NOT NULL THEN j.refusal
      WHEN j.first_position <> j.position THEN 'repeated'
      ELSE 'sent' END,
    coalesce(j.earlier_id, n.new_id),
    coalesce(floor(extract(epoch FROM j.earlier_sent_at))::bigint, n.seconds)
  FROM judged j LEFT JOIN numbered n ON n.position = j.first_position AND j.refusal IS NULL
  ORDER BY j.position;
END
$$;
