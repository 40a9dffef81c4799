CREATE TABLE channel_folders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  rendered_description text NOT NULL,
  -- Place among the folders of the realm, from 0; archived ones keep theirs.
  place integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  creator_id bigint,
  is_archived boolean NOT NULL DEFAULT false
);
-- A name is free again once its folder is archived.
CREATE UNIQUE INDEX channel_folders_by_name ON channel_folders (realm_id, lower(name)) WHERE NOT is_archived;
CREATE INDEX channel_folders_by_realm ON channel_folders (realm_id, place);
CREATE INDEX channels_by_folder ON channels (folder_id) WHERE folder_id IS NOT NULL;

-- Channels that newcomers are subscribed to.
CREATE TABLE default_channels (
  realm_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  PRIMARY KEY (realm_id, channel_id)
);

CREATE TABLE default_channel_groups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  channel_ids bigint[] NOT NULL
);
CREATE UNIQUE INDEX default_channel_groups_by_name ON default_channel_groups (realm_id, lower(name));

-- What a user wants of a topic; no row where nothing special. The topic is kept as it was written, and is one whatever
-- the case.
CREATE TABLE user_topics (
  user_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  topic text NOT NULL,
  -- 1 muted, 2 unmuted, 3 followed.
  visibility_policy smallint NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX user_topics_once ON user_topics (user_id, channel_id, lower(topic));
CREATE INDEX user_topics_by_topic ON user_topics (channel_id, lower(topic));

-- Messages per channel and day, counted after the fact (src/channels/count-traffic.ts), for stream_weekly_traffic.
CREATE TABLE channel_traffic (
  channel_id bigint NOT NULL,
  day date NOT NULL,
  messages integer NOT NULL,
  PRIMARY KEY (channel_id, day)
);
-- Messages up to this ID are counted.
CREATE TABLE traffic_progress (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  counted_until bigint NOT NULL
);
INSERT INTO traffic_progress (counted_until) VALUES (0);
