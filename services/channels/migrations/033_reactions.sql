CREATE TABLE reactions (
  id bigint GENERATED ALWAYS AS IDENTITY,
  message_id bigint NOT NULL,
  user_id bigint NOT NULL,
  reaction_type text NOT NULL,
  emoji_code text NOT NULL,
  emoji_name text NOT NULL,
  PRIMARY KEY (message_id, user_id, reaction_type, emoji_code)
);

-- What people did with a widget (a poll, a to-do list), in order; the first is the widget itself.
CREATE TABLE submessages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  msg_type text NOT NULL,
  content text NOT NULL
);
CREATE INDEX submessages_by_message ON submessages (message_id, id);
ALTER TABLE messages ADD COLUMN has_submessage boolean NOT NULL DEFAULT false;
