-- One number per conversation, whatever its kind: a channel, two people, a group.
CREATE SEQUENCE recipient_ids AS bigint;

CREATE TABLE channels (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  recipient_id bigint NOT NULL UNIQUE DEFAULT nextval('recipient_ids'),
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  rendered_description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  creator_id bigint,
  is_archived boolean NOT NULL DEFAULT false,
  invite_only boolean NOT NULL DEFAULT false,
  is_web_public boolean NOT NULL DEFAULT false,
  history_public_to_subscribers boolean NOT NULL DEFAULT true,
  message_retention_days integer,
  default_push_notifications boolean NOT NULL DEFAULT false,
  topics_policy text NOT NULL DEFAULT 'inherit',
  folder_id bigint,
  -- The eleven can_*_group settings, each a group-setting value.
  group_settings jsonb NOT NULL,
  -- Active subscribers.
  subscriber_count integer NOT NULL DEFAULT 0,
  -- Grows with every change of who is subscribed; periods and messages point at it.
  membership_version bigint NOT NULL DEFAULT 0,
  -- Grows with every other change: a sender who judged by an older state has to look again.
  version bigint NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX channels_by_name ON channels (realm_id, lower(name));

-- Who was subscribed when. A period covers the membership versions from from_version up to, not including,
-- to_version (null: still subscribed). The recipients of a message are the users with a period that covers the
-- version at which it was sent; nothing else is recorded about who received it.
CREATE TABLE subscription_periods (
  channel_id bigint NOT NULL,
  user_id bigint NOT NULL,
  from_version bigint NOT NULL,
  to_version bigint,
  -- Bounds for searches, never for access: every message of the period has a higher ID than after_message_id, and,
  -- once the period is over, none has a higher one than until_message_id.
  after_message_id bigint NOT NULL,
  until_message_id bigint,
  PRIMARY KEY (channel_id, user_id, from_version),
  CHECK (to_version > from_version)
);
CREATE UNIQUE INDEX current_subscribers ON subscription_periods (channel_id, user_id) WHERE to_version IS NULL;
CREATE INDEX periods_by_user ON subscription_periods (user_id, channel_id);

-- What a subscriber set for a channel; kept when they leave, for when they come back. Null inherits the user's own.
CREATE TABLE subscriptions (
  user_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  color text NOT NULL,
  is_muted boolean NOT NULL DEFAULT false,
  pin_to_top boolean NOT NULL DEFAULT false,
  desktop_notifications boolean,
  audible_notifications boolean,
  push_notifications boolean,
  email_notifications boolean,
  wildcard_mentions_notify boolean,
  PRIMARY KEY (user_id, channel_id)
);

-- Held until the end of the transaction by whoever sends messages in a realm or changes who receives them. IDs of
-- messages are drawn, and outbox rows written, under it: so in each realm they ascend in the order of commits,
-- whichever process works. (Two sends that drew IDs first and committed in the other order would let a client that
-- asks for what is newer than the newest it knows miss one for ever.)
CREATE FUNCTION lock_realm_order(realm bigint) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock((509003::bigint << 32) + realm)
$$;
