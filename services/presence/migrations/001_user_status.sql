-- What people tell of themselves. Empty texts stand for nothing set. Whether somebody is there is not in this database.
CREATE TABLE user_status (
  user_id bigint PRIMARY KEY,
  realm_id bigint NOT NULL,
  -- Copied from identity's facts: statuses of ended accounts are not shown.
  is_active boolean NOT NULL DEFAULT true,
  -- Presence is hidden.
  away boolean NOT NULL DEFAULT false,
  status_text text NOT NULL DEFAULT '',
  emoji_name text NOT NULL DEFAULT '',
  emoji_code text NOT NULL DEFAULT '',
  reaction_type text NOT NULL DEFAULT ''
);
CREATE INDEX shown_statuses ON user_status (realm_id, user_id)
  WHERE is_active AND (away OR status_text <> '' OR emoji_name <> '');
