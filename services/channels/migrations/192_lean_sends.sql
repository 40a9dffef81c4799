-- The function of migration 190 in steps, of which a batch takes those that it needs: flags, widgets, local names and
-- wishes are rare, and a statement that could do everything took longer to begin than to end. Nothing here looks at more
-- rows than the batch has messages, whatever the planner believed when a session made its plans: a look-up that could be
-- turned into a hash table of all current subscriptions has a LIMIT.
CREATE TYPE judged_message AS (
  position bigint, outcome text, id bigint, sent_at timestamptz, seconds bigint,
  membership_version bigint, widget_id bigint
);

CREATE FUNCTION is_current_subscriber(channel bigint, person bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (SELECT true FROM subscription_periods p
    WHERE p.channel_id = channel AND p.user_id = person AND p.to_version IS NULL LIMIT 1) IS TRUE
$$;

CREATE OR REPLACE FUNCTION send_messages(realms bigint[], batch jsonb)
RETURNS TABLE (outcome text, id bigint, sent_at_seconds bigint, new_policy smallint)
LANGUAGE plpgsql SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
  realm bigint;
  judged judged_message[];
  first_id bigint;
  policies jsonb;
BEGIN
  FOREACH realm IN ARRAY realms LOOP
    PERFORM lock_realm_order(realm);
  END LOOP;
  -- A statement of its own, and so a snapshot taken under the locks.
  WITH given AS (
    SELECT g.*, earlier.message_id AS earlier_id, earlier.sent_at AS earlier_sent_at, c.membership_version,
      CASE
        WHEN g.channel_id IS NULL THEN NULL
        WHEN c.version IS DISTINCT FROM g.channel_version THEN 'stale'
        WHEN g.members_only AND NOT is_current_subscriber(g.channel_id, g.sender_id) THEN 'not_member'
      END AS refusal
    FROM ROWS FROM (jsonb_to_recordset(batch) AS (
      channel_id bigint, channel_version bigint, members_only boolean, sender_id bigint, queue_id text, local_id text,
      widget text
    )) WITH ORDINALITY AS g(
      channel_id, channel_version, members_only, sender_id, queue_id, local_id, widget, position)
    LEFT JOIN LATERAL (
      SELECT k.version, k.membership_version FROM channels k WHERE k.id = g.channel_id LIMIT 1
    ) c ON true
    LEFT JOIN LATERAL (
      SELECT s.message_id, s.sent_at FROM sent_local_ids s
      WHERE s.sender_id = g.sender_id AND s.queue_id = g.queue_id AND s.local_id = g.local_id LIMIT 1
    ) earlier ON g.local_id IS NOT NULL
  ), ranked AS (
    SELECT given.*, CASE WHEN local_id IS NULL THEN position
      ELSE min(position) OVER (PARTITION BY sender_id, queue_id, local_id) END AS first_position
    FROM given
  ), numbered AS MATERIALIZED (
    SELECT r.position, nextval('messages_id_seq') AS id, clock.now AS sent_at,
      floor(extract(epoch FROM clock.now))::bigint AS seconds,
      CASE WHEN r.widget IS NOT NULL THEN nextval('submessages_id_seq') END AS widget_id
    FROM (
      SELECT ranked.* FROM ranked
      WHERE ranked.refusal IS NULL AND ranked.earlier_id IS NULL AND ranked.first_position = ranked.position
      ORDER BY ranked.position
    ) r, (SELECT clock_timestamp() AS now) clock
  )
  SELECT array_agg(ROW(
      r.position,
      CASE WHEN r.earlier_id IS NOT NULL THEN 'repeated'
        WHEN r.refusal IS NOT NULL THEN r.refusal
        WHEN r.first_position <> r.position THEN 'repeated'
        ELSE 'sent' END,
      coalesce(r.earlier_id, n.id),
      n.sent_at,
      coalesce(floor(extract(epoch FROM r.earlier_sent_at))::bigint, n.seconds),
      r.membership_version,
      n.widget_id
    )::judged_message ORDER BY r.position)
  , min(n.id) INTO judged, first_id
  FROM ranked r LEFT JOIN numbered n ON n.position = r.first_position AND r.refusal IS NULL;

  WITH given AS MATERIALIZED (
    SELECT g.*
    FROM ROWS FROM (
      jsonb_to_recordset(batch) AS (
        realm_id bigint, recipient_id bigint, channel_id bigint,
        sender_id bigint, topic text, content text, rendered_content text, client text,
        is_me_message boolean, has_link boolean, has_image boolean, has_attachment boolean,
        read_by_sender boolean, shared_flags smallint,
        message_tail text, flags text, event_tail text, audience jsonb, marks jsonb,
        mentioned_user_ids text, traceparent text, widget text, is_public boolean
      ),
      unnest(judged)
    ) AS g(
      realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, client,
      is_me_message, has_link, has_image, has_attachment, read_by_sender, shared_flags,
      message_tail, flags, event_tail, audience, marks, mentioned_user_ids, traceparent, widget, is_public,
      position, outcome, id, sent_at, seconds, membership_version, widget_id
    )
    WHERE g.outcome = 'sent'
  ), listening AS MATERIALIZED (
    SELECT l.realm_id, jsonb_build_object('public', jsonb_agg(l.user_id)) AS audience
    FROM public_listeners l WHERE l.realm_id = ANY (realms)
    GROUP BY l.realm_id
  ), stored AS (
    INSERT INTO messages (
      id, realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content,
      rendered_content, client, is_me_message, has_link, has_image, has_attachment, read_by_sender, shared_flags,
      has_submessage)
    OVERRIDING SYSTEM VALUE
    SELECT n.id, n.realm_id, n.recipient_id, n.channel_id, n.sender_id, coalesce(n.membership_version, 0),
      n.sent_at, n.topic, n.content, n.rendered_content, n.client, n.is_me_message, n.has_link, n.has_image,
      n.has_attachment, n.read_by_sender, n.shared_flags, n.widget IS NOT NULL
    FROM given n ORDER BY n.position
  )
  INSERT INTO outbox (topic, key, value, audience, traceparent)
  SELECT a.topic, a.key, a.value, a.audience, n.traceparent
  FROM given n CROSS JOIN LATERAL (SELECT
    '"message":{"id":' || n.id || ',"timestamp":' || n.seconds || ','
      || CASE WHEN n.widget IS NULL THEN '' ELSE '"submessages":[{"id":' || n.widget_id || ',"message_id":'
        || n.id || ',"sender_id":' || n.sender_id || ',"msg_type":"widget","content":'
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
            WHERE own.user_id::bigint = n.sender_id OR is_current_subscriber(n.channel_id, own.user_id::bigint)
          )) END END),
    (1, 'channels.messages', n.recipient_id::text,
      '{"realm_id":' || n.realm_id || ',' || message.text || ',"mentioned_user_ids":' || n.mentioned_user_ids
        || '}',
      NULL::jsonb)
  ) AS a(place, topic, key, value, audience)
  ORDER BY n.position, a.place;

  IF jsonb_path_exists(batch, '$[*] ? (@.local_id != null)') THEN
    INSERT INTO sent_local_ids (sender_id, queue_id, local_id, message_id, sent_at)
    SELECT g.sender_id, g.queue_id, g.local_id, g.id, g.sent_at
    FROM ROWS FROM (jsonb_to_recordset(batch) AS (sender_id bigint, queue_id text, local_id text), unnest(judged))
      AS g(sender_id, queue_id, local_id, position, outcome, id, sent_at, seconds, membership_version, widget_id)
    WHERE g.outcome = 'sent' AND g.local_id IS NOT NULL;
  END IF;
  IF jsonb_path_exists(batch, '$[*] ? (@.marks != null)') THEN
    INSERT INTO message_flags (user_id, message_id, flags)
    SELECT m.user_id, g.id, m.flags
    FROM ROWS FROM (jsonb_to_recordset(batch) AS (channel_id bigint, marks jsonb), unnest(judged))
      AS g(channel_id, marks, position, outcome, id, sent_at, seconds, membership_version, widget_id)
    CROSS JOIN LATERAL jsonb_to_recordset(g.marks) AS m(user_id bigint, flags smallint)
    WHERE g.outcome = 'sent' AND (g.channel_id IS NULL OR is_current_subscriber(g.channel_id, m.user_id));
  END IF;
  IF jsonb_path_exists(batch, '$[*] ? (@.widget != null)') THEN
    INSERT INTO submessages (id, message_id, sender_id, msg_type, content) OVERRIDING SYSTEM VALUE
    SELECT g.widget_id, g.id, g.sender_id, 'widget', g.widget
    FROM ROWS FROM (jsonb_to_recordset(batch) AS (sender_id bigint, widget text), unnest(judged))
      AS g(sender_id, widget, position, outcome, id, sent_at, seconds, membership_version, widget_id)
    WHERE g.outcome = 'sent' AND g.widget IS NOT NULL;
  END IF;
  IF jsonb_path_exists(batch, '$[*] ? (@.wishes != null)') THEN
    WITH given AS (
      SELECT g.* FROM ROWS FROM (
        jsonb_to_recordset(batch) AS (realm_id bigint, channel_id bigint, sender_id bigint, topic text, wishes jsonb),
        unnest(judged)
      ) AS g(realm_id, channel_id, sender_id, topic, wishes,
        position, outcome, id, sent_at, seconds, membership_version, widget_id)
      WHERE g.outcome = 'sent' AND g.wishes IS NOT NULL
    ), wished AS MATERIALIZED (
      -- One wish per user and topic: the one for more.
      SELECT DISTINCT ON (w.user_id, n.channel_id, lower(n.topic))
        n.position, n.realm_id, n.sender_id, n.channel_id, n.topic, n.sent_at, n.seconds,
        w.user_id, w.policy, coalesce(known.visibility_policy, 0) AS before
      FROM given n CROSS JOIN LATERAL jsonb_to_recordset(n.wishes) AS w(
        user_id bigint, policy smallint, unless smallint[], on_start boolean, in_muted boolean, as_member boolean)
      LEFT JOIN LATERAL (
        SELECT t.visibility_policy FROM user_topics t
        WHERE t.user_id = w.user_id AND t.channel_id = n.channel_id AND lower(t.topic) = lower(n.topic) LIMIT 1
      ) known ON true
      WHERE coalesce(known.visibility_policy, 0) <> ALL (w.unless)
        AND (w.in_muted IS NOT TRUE OR (
          SELECT s.is_muted FROM subscriptions s WHERE s.user_id = w.user_id AND s.channel_id = n.channel_id LIMIT 1
        ) IS TRUE AND is_current_subscriber(n.channel_id, w.user_id))
        -- Those of this batch do not count: their IDs are the highest.
        AND (w.on_start IS NOT TRUE OR (
          SELECT true FROM messages m
          WHERE m.channel_id = n.channel_id AND lower(m.topic) = lower(n.topic) AND m.id < first_id LIMIT 1
        ) IS NULL)
        AND (w.as_member IS NOT TRUE OR is_current_subscriber(n.channel_id, w.user_id))
      ORDER BY w.user_id, n.channel_id, lower(n.topic), w.policy DESC, n.position
    ), stored AS (
      INSERT INTO user_topics AS t (user_id, channel_id, topic, visibility_policy, updated_at)
      SELECT w.user_id, w.channel_id, w.topic, w.policy, w.sent_at FROM wished w
      ON CONFLICT (user_id, channel_id, lower(topic)) DO UPDATE SET
        visibility_policy = excluded.visibility_policy, updated_at = excluded.updated_at
    ), announced AS (
      INSERT INTO outbox (topic, key, value, audience)
      SELECT 'client-events', w.realm_id::text, own.value,
        jsonb_build_object('realm', w.realm_id, 'users', jsonb_build_array(w.user_id))
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
      ORDER BY w.position, own.place
    )
    SELECT jsonb_object_agg(w.position, w.policy) FILTER (WHERE w.user_id = w.sender_id) INTO policies FROM wished w;
  END IF;
  RETURN QUERY
    SELECT j.outcome, j.id, j.seconds, (policies ->> j.position::text)::smallint FROM unnest(judged) j
    ORDER BY j.position;
END
$$;
