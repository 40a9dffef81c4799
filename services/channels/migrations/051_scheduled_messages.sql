-- Messages that are to be sent later. Sending one and ending its row is one transaction, so a row is what was not sent.
CREATE TABLE scheduled_messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  type text NOT NULL CHECK (type IN ('stream', 'private')),
  -- The channel, or the people without the author (who is alone there when writing to nobody else).
  recipients bigint[] NOT NULL,
  topic text NOT NULL,
  content text NOT NULL,
  rendered_content text NOT NULL,
  client text NOT NULL,
  read_by_sender boolean NOT NULL,
  due_at timestamptz NOT NULL,
  -- Why it was not sent when it was due; null while it is to be sent.
  failure text,
  -- How often something unforeseen happened, and until when to wait after it.
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz
);
CREATE INDEX scheduled_messages_due ON scheduled_messages (greatest(due_at, not_before), id) WHERE failure IS NULL;
CREATE INDEX scheduled_messages_by_user ON scheduled_messages (user_id, due_at, id);

CREATE TABLE reminders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  message_id bigint NOT NULL,
  note text NOT NULL,
  -- As it looked when it was asked for.
  content text NOT NULL,
  rendered_content text NOT NULL,
  due_at timestamptz NOT NULL,
  failure text,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz
);
CREATE INDEX reminders_due ON reminders (greatest(due_at, not_before), id) WHERE failure IS NULL;
CREATE INDEX reminders_by_user ON reminders (user_id, due_at, id);

-- What a system bot has to say, written in the transaction that gives the reason and sent in one that removes the row.
CREATE TABLE notices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  bot text NOT NULL CHECK (bot IN ('notification', 'welcome')),
  -- To a channel with a topic, or to people.
  channel_id bigint,
  topic text,
  user_ids bigint[],
  content text NOT NULL,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  CHECK ((channel_id IS NULL) = (topic IS NULL) AND (channel_id IS NULL) <> (user_ids IS NULL))
);
CREATE INDEX notices_due ON notices (due_at, id);
