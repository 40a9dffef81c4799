-- Direct conversations: one per set of participants.
CREATE TABLE conversations (
  recipient_id bigint PRIMARY KEY DEFAULT nextval('recipient_ids'),
  realm_id bigint NOT NULL,
  -- Ascending, everybody included.
  user_ids bigint[] NOT NULL,
  -- SHA-256 of the participants' IDs: a group may be larger than an index entry.
  participants_hash bytea NOT NULL UNIQUE
);

CREATE TABLE conversation_participants (
  user_id bigint NOT NULL,
  recipient_id bigint NOT NULL,
  PRIMARY KEY (user_id, recipient_id)
);

-- No foreign keys here: a check per row and a lock on the channel's row would be paid by every send.
-- Partitioning by ranges of id is prepared (README): every index leads to id, and nothing is unique but id.
CREATE TABLE messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  recipient_id bigint NOT NULL,
  -- Null for direct messages.
  channel_id bigint,
  sender_id bigint NOT NULL,
  -- That of the channel when the message was sent: says who received it.
  membership_version bigint NOT NULL DEFAULT 0,
  sent_at timestamptz NOT NULL,
  last_edited_at timestamptz,
  last_moved_at timestamptz,
  topic text NOT NULL,
  content text NOT NULL,
  rendered_content text NOT NULL,
  client text NOT NULL,
  is_me_message boolean NOT NULL,
  has_link boolean NOT NULL,
  has_image boolean NOT NULL,
  has_attachment boolean NOT NULL,
  -- Whether it is read for its sender from the start.
  read_by_sender boolean NOT NULL,
  -- Flags that every recipient has (src/messages/message-flags.ts): a wildcard mention is one bit, not a row each.
  shared_flags smallint NOT NULL DEFAULT 0
);
CREATE INDEX messages_by_conversation ON messages (recipient_id, id) INCLUDE (membership_version);
CREATE INDEX messages_by_topic ON messages (channel_id, lower(topic), id) WHERE channel_id IS NOT NULL;
CREATE INDEX messages_by_sender ON messages (sender_id, id);

-- What is special about a message for one user; most messages have no row here for anybody.
CREATE TABLE message_flags (
  user_id bigint NOT NULL,
  message_id bigint NOT NULL,
  flags smallint NOT NULL,
  PRIMARY KEY (user_id, message_id)
);
CREATE INDEX message_flags_by_message ON message_flags (message_id);

-- Which message a client's own name for it became, so that a repeated request sends nothing twice.
CREATE TABLE sent_local_ids (
  sender_id bigint NOT NULL,
  queue_id text NOT NULL,
  local_id text NOT NULL,
  message_id bigint NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (sender_id, queue_id, local_id)
);
CREATE INDEX sent_local_ids_by_age ON sent_local_ids (sent_at);
