-- What narrows search by. Everything leads through a conversation: a reader's history is a list of them, and each is
-- probed by itself, so that a rare match among much else costs as many probes as there are conversations.
CREATE INDEX messages_by_conversation_sender ON messages (recipient_id, sender_id, id);
DROP INDEX messages_by_sender;
CREATE INDEX messages_with_link ON messages (recipient_id, id) WHERE has_link;
CREATE INDEX messages_with_image ON messages (recipient_id, id) WHERE has_image;
CREATE INDEX messages_with_attachment ON messages (recipient_id, id) WHERE has_attachment;
CREATE INDEX messages_for_all ON messages (recipient_id, id) WHERE shared_flags <> 0;
CREATE INDEX messages_of_resolved_topics ON messages (recipient_id, id) WHERE topic LIKE '✔ %';

ALTER TABLE messages
  ADD COLUMN has_reaction boolean NOT NULL DEFAULT false,
  -- Where it was sent, once it was moved to another channel: who received it then had it as something new, and for
  -- whoever finds it in the channel that it is in now it is history.
  ADD COLUMN received_channel_id bigint,
  ADD COLUMN received_version bigint,
  -- What was changed, newest first, as the message object lists it; null for what was never changed.
  ADD COLUMN edit_history jsonb;
CREATE INDEX messages_with_reaction ON messages (recipient_id, id) WHERE has_reaction;

-- 1 read is not among them: that is kept in read_marks and read_exceptions.
CREATE INDEX starred_messages ON message_flags (user_id, message_id) WHERE flags & 2 <> 0;
CREATE INDEX mentioning_messages ON message_flags (user_id, message_id) WHERE flags & 56 <> 0;
CREATE INDEX alerting_messages ON message_flags (user_id, message_id) WHERE flags & 64 <> 0;

-- What is searched in a message: its words and, with a space that no word has, its organization and conversation.
CREATE FUNCTION search_vector(realm bigint, recipient bigint, topic text, content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('english'::regconfig, topic || ' ' || content)
    || array_to_tsvector(ARRAY[' r' || realm, ' c' || recipient])
$$;
CREATE INDEX messages_by_words ON messages USING gin (search_vector(realm_id, recipient_id, topic, content));

-- The first message at or after a moment, give or take what was being sent at it: IDs ascend with time, so it is found
-- by halving. Zero when there is none.
CREATE FUNCTION first_message_from(moment timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  low bigint := 0;
  high bigint;
  middle bigint;
  seen timestamptz;
BEGIN
  SELECT max(id) + 1 INTO high FROM messages;
  IF high IS NULL THEN RETURN 0; END IF;
  WHILE low < high LOOP
    middle := (low + high) / 2;
    SELECT sent_at INTO seen FROM messages WHERE id >= middle ORDER BY id LIMIT 1;
    IF seen IS NULL OR seen >= moment THEN high := middle; ELSE low := middle + 1; END IF;
  END LOOP;
  RETURN low;
END
$$;
