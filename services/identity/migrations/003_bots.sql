-- What bots have besides being accounts.
CREATE TABLE bots (
  user_id bigint PRIMARY KEY REFERENCES users,
  -- Names of channels.
  default_sending_stream text,
  default_events_register_stream text,
  default_all_public_streams boolean NOT NULL DEFAULT false,
  -- Where an outgoing-webhook bot is called, and how; null for other bots.
  payload_url text,
  -- 1 the server's own form, 2 Slack-like.
  interface smallint CHECK (interface IN (1, 2)),
  -- What the receiver knows the calls by.
  token text,
  CHECK ((payload_url IS NULL) = (interface IS NULL) AND (payload_url IS NULL) = (token IS NULL))
);

-- What bots remember. Bounded per bot: bot-storage-store.ts.
CREATE TABLE bot_storage (
  bot_id bigint NOT NULL REFERENCES users,
  key text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (bot_id, key)
);

-- Grows when the API key is replaced.
ALTER TABLE users ADD COLUMN key_version integer NOT NULL DEFAULT 1;
