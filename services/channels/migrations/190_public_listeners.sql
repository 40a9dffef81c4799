-- Users with queues that hear the messages of all public channels (`all_public_streams`): a message is announced to their
-- shards and to those of its recipients, instead of to all. Written under the organization's lock that sends take, so every
-- message that commits after a listener was stored knows of it.
CREATE TABLE public_listeners (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  -- Forgotten then, unless said again (event-queue does while there is a queue).
  until timestamptz NOT NULL,
  PRIMARY KEY (realm_id, user_id)
);

-- The function of migration 110, and besides: `is_public` messages have the listeners in their audience.
CREATE OR REPLACE FUNCTION send_messages(realms bigint[], batch jsonb)
RETURNS TABLE (outcome text, id bigint, sent_at_seconds bigint, new_policy smallint)
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
      mentioned_user_ids text, traceparent text, widget text, wishes jsonb, is_public boolean
    )) WITH ORDINALITY AS g(
      realm_id, recipient_id, channel_id, channel_version, members_only,
      sender_id, topic, content, rendered_content, client,
      is_me_message, has_link, has_image, has_attachment,
      read_by_sender, shared_flags, queue_id, local_id,
      message_tail, flags, event_tail, audience, marks,
      mentioned_user_ids, traceparent, widget, wishes, is_public, position
    )
  ), listening AS MATERIALIZED (
    SELECT l.realm_id, jsonb_build_object('public', jsonb_agg(l.user_id)) AS audience
    FROM public_listeners l WHERE l.realm_id = ANY (realms)
    GROUP BY l.realm_id
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
      floor(extract(epoch FROM clock.now))::bigint AS seconds,
      CASE WHEN j.widget IS NOT NULL THEN nextval('submessages_id_seq') END AS widget_id
    FROM (
      SELECT * FROM judged
      WHERE judged.refusal IS NULL AND judged.earlier_id IS NULL AND judged.first_position = judged.position
      ORDER BY judged.position
    ) j, (SELECT clock_timestamp() AS now) clock
  ), stored AS (
    INSERT INTO messages (
      id, realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content,
      rendered_content, client, is_me_message, has_link, has_image, has_attachment, read_by_sender, shared_flags,
      has_submessage)
    OVERRIDING SYSTEM VALUE
    SELECT n.new_id, n.realm_id, n.recipient_id, n.channel_id, n.sender_id, coalesce(n.membership_version, 0),
      n.sent_at, n.topic, n.content, n.rendered_content, n.client, n.is_me_message, n.has_link, n.has_image,
      n.has_attachment, n.read_by_sender, n.shared_flags, n.widget IS NOT NULL
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
  ), shown AS (
    INSERT INTO submessages (id, message_id, sender_id, msg_type, content) OVERRIDING SYSTEM VALUE
    SELECT n.widget_id, n.new_id, n.sender_id, 'widget', n.widget FROM numbered n WHERE n.widget IS NOT NULL
  ), wished AS MATERIALIZED (
    -- One wish per user and topic: the one for more.
    SELECT DISTINCT ON (w.user_id, n.channel_id, lower(n.topic))
      n.position, n.realm_id, n.sender_id, n.channel_id, n.topic, n.sent_at, n.seconds,
      w.user_id, w.policy, coalesce(known.visibility_policy, 0) AS before
    FROM numbered n CROSS JOIN LATERAL jsonb_to_recordset(n.wishes) AS w(
      user_id bigint, policy smallint, unless smallint[], on_start boolean, in_muted boolean, as_member boolean)
    LEFT JOIN user_topics known ON known.user_id = w.user_id AND known.channel_id = n.channel_id
      AND lower(known.topic) = lower(n.topic)
    WHERE coalesce(known.visibility_policy, 0) <> ALL (w.unless)
      AND (w.in_muted IS NOT TRUE OR EXISTS (
        SELECT FROM subscriptions s JOIN subscription_periods p
          ON p.channel_id = s.channel_id AND p.user_id = s.user_id AND p.to_version IS NULL
        WHERE s.user_id = w.user_id AND s.channel_id = n.channel_id AND s.is_muted))
      AND (w.on_start IS NOT TRUE OR NOT EXISTS (
        SELECT FROM messages m WHERE m.channel_id = n.channel_id AND lower(m.topic) = lower(n.topic)))
      AND (w.as_member IS NOT TRUE OR EXISTS (
        SELECT FROM subscription_periods p
        WHERE p.channel_id = n.channel_id AND p.user_id = w.user_id AND p.to_version IS NULL))
    ORDER BY w.user_id, n.channel_id, lower(n.topic), w.policy DESC, n.position
  ), policies AS (
    INSERT INTO user_topics AS t (user_id, channel_id, topic, visibility_policy, updated_at)
    SELECT w.user_id, w.channel_id, w.topic, w.policy, w.sent_at FROM wished w
    ON CONFLICT (user_id, channel_id, lower(topic)) DO UPDATE SET
      visibility_policy = excluded.visibility_policy, updated_at = excluded.updated_at
  ), announced AS (
    INSERT INTO outbox (topic, key, value, audience, traceparent)
    SELECT told.topic, told.key, told.value, told.audience, told.traceparent FROM (
      SELECT n.position, a.place, a.topic, a.key, a.value, a.audience, n.traceparent
      FROM numbered n CROSS JOIN LATERAL (SELECT
        '"message":{"id":' || n.new_id || ',"timestamp":' || n.seconds || ','
          || CASE WHEN n.widget IS NULL THEN '' ELSE '"submessages":[{"id":' || n.widget_id || ',"message_id":'
            || n.new_id || ',"sender_id":' || n.sender_id || ',"msg_type":"widget","content":'
            || to_json(n.widget)::text || '}],' END
          || n.message_tail AS text
      ) message CROSS JOIN LATERAL (VALUES
        (0, 'client-events', n.realm_id::text,
          '{"type":"message",' || message.text || ',"flags":' || n.flags || n.event_tail,
          CASE WHEN n.channel_id IS NULL THEN n.audience
            ELSE n.audience
              || coalesce((SELECT l.audience FROM listening l WHERE n.is_public AND l.realm_id = n.realm_id), '{}')
              || jsonb_build_object('resolve', jsonb_build_object(
              'name', 'channel-members',
              'args', jsonb_build_object('channel_id', n.channel_id, 'version', n.membership_version)))
              || CASE WHEN n.marks IS NULL THEN '{}' ELSE jsonb_build_object('personal', (
                SELECT jsonb_object_agg(own.user_id, own.fields)
                FROM jsonb_each(n.audience -> 'personal') AS own(user_id, fields)
                WHERE own.user_id::bigint = n.sender_id OR EXISTS (
                  SELECT FROM subscription_periods p
                  WHERE p.channel_id = n.channel_id AND p.user_id = own.user_id::bigint AND p.to_version IS NULL)
              )) END END),
        (1, 'channels.messages', n.recipient_id::text,
          '{"realm_id":' || n.realm_id || ',' || message.text || ',"mentioned_user_ids":' || n.mentioned_user_ids
            || '}',
          NULL::jsonb)
      ) AS a(place, topic, key, value, audience)
      UNION ALL
      SELECT w.position, own.place, 'client-events', w.realm_id::text, own.value,
        jsonb_build_object('realm', w.realm_id, 'users', jsonb_build_array(w.user_id)), NULL
      FROM wished w CROSS JOIN LATERAL (
        -- The legacy form lists what is muted; what is here was muted until now, or was not in it.
        SELECT 2 AS place, '{"type":"muted_topics","muted_topics":' || coalesce(json_agg(
          json_build_array(c.name, t.topic, floor(extract(epoch FROM t.updated_at))::bigint)
          ORDER BY t.channel_id, lower(t.topic)), '[]')::text || '}' AS value
        FROM user_topics t JOIN channels c ON c.id = t.channel_id
        WHERE w.before = 1 AND t.user_id = w.user_id AND t.visibility_policy = 1
          AND NOT (t.channel_id = w.channel_id AND lower(t.topic) = lower(w.topic))
        HAVING w.before = 1
        UNION ALL
        SELECT 3, '{"type":"user_topic","stream_id":' || w.channel_id || ',"topic_name":' || to_json(w.topic)::text
          || ',"last_updated":' || w.seconds || ',"visibility_policy":' || w.policy || '}'
      ) own
    ) told
    ORDER BY told.position, told.place
  )
  SELECT
    CASE WHEN j.earlier_id IS NOT NULL THEN 'repeated'
      WHEN j.refusal IS NOT NULL THEN j.refusal
      WHEN j.first_position <> j.position THEN 'repeated'
      ELSE 'sent' END,
    coalesce(j.earlier_id, n.new_id),
    coalesce(floor(extract(epoch FROM j.earlier_sent_at))::bigint, n.seconds),
    (SELECT w.policy FROM wished w WHERE w.position = j.position AND w.user_id = j.sender_id)
  FROM judged j LEFT JOIN numbered n ON n.position = j.first_position AND j.refusal IS NULL
  ORDER BY j.position;
END
$$;
