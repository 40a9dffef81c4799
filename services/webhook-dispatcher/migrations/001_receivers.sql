-- Outgoing-webhook bots: a copy of what identity owns, kept current by its facts and replaced by a newer version only,
-- and beside it what this service knows of the place where each is called.
CREATE TABLE receivers (
  bot_id bigint PRIMARY KEY,
  realm_id bigint NOT NULL,
  owner_id bigint,
  is_active boolean NOT NULL,
  full_name text NOT NULL,
  email text NOT NULL,
  url text NOT NULL,
  -- 1 the server's own form, 2 Slack-like.
  interface smallint NOT NULL,
  -- In the body of each call.
  token text NOT NULL,
  version bigint NOT NULL,

  -- Signs the calls (Standard Webhooks). The one before goes on signing until its time is over.
  secret text NOT NULL,
  previous_secret text,
  previous_secret_until timestamptz,

  -- Calls that failed one after another, in ways that say the receiver is down.
  failures integer NOT NULL DEFAULT 0,
  -- No call before this time.
  paused_until timestamptz,
  -- Since when no call succeeded; null after a success.
  failing_since timestamptz,
  last_success_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing', 'by_hand')),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
