-- What a send cost Postgres was mostly the making ready of two large statements, and the parsing of functions in SQL,
-- which Postgres 15 repeats in every statement that cannot take them in. So messages are sent one after the other, in
-- steps that are simple expressions, look-ups and INSERTs of single rows; what the policy of a topic may become is asked
-- in small questions, and acted upon where it may; the lock is taken by a function that keeps its plan, and what is
-- searched is written so that an index takes it in.
CREATE OR REPLACE FUNCTION lock_realm_order(realm bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock((509003::bigint << 32) + realm);
END
$$;

CREATE OR REPLACE FUNCTION search_vector(realm bigint, recipient bigint, topic text, content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('english'::regconfig, topic || ' ' || content)
    || array_to_tsvector(ARRAY[' r' || realm::text, ' c' || recipient::text])
$$;

-- Sends a batch of messages as migrations 004, 110 and 190 say, each as if those before it had been sent alone.
--
-- With the relay's account as its borrower knows it (libs/db, migration 003), the announcements are entered there in the
-- same transaction, if that can be; `entered`, in the first row, has them then, and is null otherwise.
DROP FUNCTION send_messages(bigint[], jsonb);
DROP TYPE judged_message;
CREATE FUNCTION send_messages(
  realms bigint[], batch jsonb, account_first bigint DEFAULT NULL, account_size integer DEFAULT NULL
)
RETURNS TABLE (outcome text, id bigint, sent_at_seconds bigint, new_policy smallint, entered json)
LANGUAGE plpgsql SET plan_cache_mode = 'force_generic_plan' AS $$
#variable_conflict use_column
DECLARE
  realm bigint;
  m jsonb;
  w jsonb;
  moment timestamptz;
  seconds bigint;
  channel bigint;
  sender bigint;
  size CONSTANT integer := jsonb_array_length(batch);
  known_version bigint;
  known_policy smallint;
  membership bigint;
  earlier_at timestamptz;
  new_id bigint;
  first_id bigint;
  widget_id bigint;
  listening_realm bigint;
  listeners jsonb;
  audience jsonb;
  message text;
  may_wish boolean := false;
  is_entered boolean := false;
  entries bigint[] := '{}';
  rows json[] := '{}';
  event text;
  fact text;
  xid bigint;
  milliseconds bigint;
  event_entry bigint;
  fact_entry bigint;
  -- By the message's place in the batch.
  outcomes text[];
  times bigint[];
  ids bigint[] := array_fill(NULL::bigint, ARRAY[size]);
  policies jsonb;
BEGIN
  FOREACH realm IN ARRAY realms LOOP
    PERFORM lock_realm_order(realm);
  END LOOP;
  moment := clock_timestamp();
  seconds := floor(extract(epoch FROM moment))::bigint;
  FOR place IN 1 .. size LOOP
    m := batch -> place - 1;
    times[place] := seconds;
    channel := (m ->> 'channel_id')::bigint;
    sender := (m ->> 'sender_id')::bigint;
    realm := (m ->> 'realm_id')::bigint;
    IF m ->> 'local_id' IS NOT NULL THEN
      SELECT s.message_id, s.sent_at INTO new_id, earlier_at FROM sent_local_ids s
      WHERE s.sender_id = sender AND s.queue_id = m ->> 'queue_id' AND s.local_id = m ->> 'local_id';
      IF FOUND THEN
        outcomes[place] := 'repeated';
        ids[place] := new_id;
        times[place] := floor(extract(epoch FROM earlier_at))::bigint;
        CONTINUE;
      END IF;
    END IF;
    membership := 0;
    audience := m -> 'audience';
    IF channel IS NOT NULL THEN
      SELECT k.version, k.membership_version INTO known_version, membership FROM channels k WHERE k.id = channel;
      IF known_version IS DISTINCT FROM (m ->> 'channel_version')::bigint THEN
        outcomes[place] := 'stale';
        CONTINUE;
      ELSIF (m ->> 'members_only')::boolean AND NOT is_current_subscriber(channel, sender) THEN
        outcomes[place] := 'not_member';
        CONTINUE;
      END IF;
      IF (m ->> 'is_public')::boolean THEN
        IF listening_realm IS DISTINCT FROM realm THEN
          SELECT jsonb_agg(l.user_id) INTO listeners FROM public_listeners l WHERE l.realm_id = realm;
          listening_realm := realm;
        END IF;
        IF listeners IS NOT NULL THEN
          audience := audience || jsonb_build_object('public', listeners);
        END IF;
      END IF;
      audience := audience || jsonb_build_object('resolve', jsonb_build_object(
        'name', 'channel-members', 'args', jsonb_build_object('channel_id', channel, 'version', membership)));
      -- Who is marked and not subscribed now receives nothing.
      IF jsonb_typeof(m -> 'marks') = 'array' THEN
        audience := audience || jsonb_build_object('personal', (
          SELECT jsonb_object_agg(own.user_id, own.fields)
          FROM jsonb_each(m -> 'audience' -> 'personal') AS own(user_id, fields)
          WHERE own.user_id::bigint = sender OR is_current_subscriber(channel, own.user_id::bigint)));
      END IF;
    END IF;
    new_id := nextval('messages_id_seq');
    first_id := coalesce(first_id, new_id);
    outcomes[place] := 'sent';
    ids[place] := new_id;
      IF m ->> 'widget' IS NULL THEN
      message := '"message":{"id":' || new_id || ',"timestamp":' || seconds || ',' || (m ->> 'message_tail');
    ELSE
      widget_id := nextval('submessages_id_seq');
      message := '"message":{"id":' || new_id || ',"timestamp":' || seconds || ',"submessages":[{"id":' || widget_id
        || ',"message_id":' || new_id || ',"sender_id":' || sender || ',"msg_type":"widget","content":'
        || to_json(m ->> 'widget')::text || '}],' || (m ->> 'message_tail');
    END IF;
    INSERT INTO messages (
      id, realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content, rendered_content,
      client, is_me_message, has_link, has_image, has_attachment, read_by_sender, shared_flags, has_submessage)
    OVERRIDING SYSTEM VALUE VALUES (
      new_id, realm, (m ->> 'recipient_id')::bigint, channel, sender, membership, moment, m ->> 'topic',
      m ->> 'content', m ->> 'rendered_content', m ->> 'client', (m ->> 'is_me_message')::boolean,
      (m ->> 'has_link')::boolean, (m ->> 'has_image')::boolean, (m ->> 'has_attachment')::boolean,
      (m ->> 'read_by_sender')::boolean, (m ->> 'shared_flags')::smallint, m ->> 'widget' IS NOT NULL);
    event := '{"type":"message",' || message || ',"flags":' || (m ->> 'flags') || (m ->> 'event_tail');
    fact := '{"realm_id":' || realm || ',' || message || ',"mentioned_user_ids":'
      || (m ->> 'mentioned_user_ids') || '}';
    event_entry := nextval('outbox_id_seq');
    fact_entry := nextval('outbox_id_seq');
    INSERT INTO outbox (id, topic, key, value, audience, traceparent) OVERRIDING SYSTEM VALUE VALUES
      (event_entry, 'client-events', m ->> 'realm_id', event, audience, m ->> 'traceparent'),
      (fact_entry, 'channels.messages', m ->> 'recipient_id', fact, NULL, m ->> 'traceparent');
    IF account_first IS NOT NULL THEN
      milliseconds := floor(extract(epoch FROM moment) * 1000)::bigint;
      xid := pg_current_xact_id()::text::bigint;
      entries := entries || ARRAY[event_entry, fact_entry];
      rows := rows || ARRAY[
        json_build_object('id', event_entry, 'xid', xid, 'topic', 'client-events', 'key', m ->> 'realm_id',
          'value', event, 'audience', audience, 'traceparent', m ->> 'traceparent',
          'at', milliseconds),
        json_build_object('id', fact_entry, 'xid', xid, 'topic', 'channels.messages', 'key', m ->> 'recipient_id',
          'value', fact, 'audience', NULL, 'traceparent', m ->> 'traceparent', 'at', milliseconds)];
    END IF;
    IF m ->> 'local_id' IS NOT NULL THEN
      INSERT INTO sent_local_ids (sender_id, queue_id, local_id, message_id, sent_at)
      VALUES (sender, m ->> 'queue_id', m ->> 'local_id', new_id, moment);
    END IF;
    IF m ->> 'widget' IS NOT NULL THEN
      INSERT INTO submessages (id, message_id, sender_id, msg_type, content) OVERRIDING SYSTEM VALUE
      VALUES (widget_id, new_id, sender, 'widget', m ->> 'widget');
    END IF;
    IF jsonb_typeof(m -> 'marks') = 'array' THEN
      INSERT INTO message_flags (user_id, message_id, flags)
      SELECT k.user_id, new_id, k.flags
      FROM jsonb_to_recordset(m -> 'marks') AS k(user_id bigint, flags smallint)
      WHERE channel IS NULL OR is_current_subscriber(channel, k.user_id);
    END IF;
    -- Whether any wish may come true is asked in small questions, of which the first usually answers.
    IF jsonb_typeof(m -> 'wishes') = 'array' THEN
      FOR n IN 0 .. jsonb_array_length(m -> 'wishes') - 1 LOOP
        EXIT WHEN may_wish;
        w := m -> 'wishes' -> n;
        IF (w ->> 'on_start')::boolean THEN
          PERFORM FROM messages t
          WHERE t.channel_id = channel AND lower(t.topic) = lower(m ->> 'topic') AND t.id < first_id LIMIT 1;
          CONTINUE WHEN FOUND;
        END IF;
        IF (w ->> 'in_muted')::boolean THEN
          PERFORM FROM subscriptions s
          WHERE s.user_id = (w ->> 'user_id')::bigint AND s.channel_id = channel AND s.is_muted LIMIT 1;
          CONTINUE WHEN NOT FOUND;
        END IF;
        SELECT t.visibility_policy INTO known_policy FROM user_topics t
        WHERE t.user_id = (w ->> 'user_id')::bigint AND t.channel_id = channel
          AND lower(t.topic) = lower(m ->> 'topic') LIMIT 1;
        may_wish := NOT w -> 'unless' @> to_jsonb(coalesce(known_policy, 0::smallint));
      END LOOP;
    END IF;
  END LOOP;

  IF may_wish THEN
    WITH given AS (
      SELECT g.* FROM ROWS FROM (
        jsonb_to_recordset(batch) AS (realm_id bigint, channel_id bigint, sender_id bigint, topic text, wishes jsonb),
        unnest(ids), unnest(outcomes)
      ) WITH ORDINALITY AS g(realm_id, channel_id, sender_id, topic, wishes, id, outcome, position)
      WHERE g.outcome = 'sent' AND g.wishes IS NOT NULL
    ), wished AS MATERIALIZED (
      -- One wish per user and topic: the one for more.
      SELECT DISTINCT ON (w.user_id, n.channel_id, lower(n.topic))
        n.position, n.realm_id, n.sender_id, n.channel_id, n.topic,
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
      SELECT w.user_id, w.channel_id, w.topic, w.policy, moment FROM wished w
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
          || ',"last_updated":' || seconds || ',"visibility_policy":' || w.policy || '}'
      ) own
      ORDER BY w.position, own.place
    )
    SELECT jsonb_object_agg(w.position, w.policy) FILTER (WHERE w.user_id = w.sender_id) INTO policies FROM wished w;
  ELSIF cardinality(entries) > 0 THEN
    is_entered := enter_announcements(entries, account_first, account_size);
  END IF;

  FOR place IN 1 .. size LOOP
    outcome := outcomes[place];
    id := ids[place];
    sent_at_seconds := times[place];
    new_policy := (policies ->> place::text)::smallint;
    entered := CASE WHEN place = 1 AND is_entered THEN array_to_json(rows) END;
    RETURN NEXT;
  END LOOP;
END
$$;
