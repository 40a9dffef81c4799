-- What people chose for themselves, as far as messages depend on it. A copy of what identity owns, kept current by its
-- facts (src/directory/).
CREATE TABLE personal (
  user_id bigint PRIMARY KEY,
  realm_id bigint NOT NULL,
  -- Those that differ from the defaults.
  settings jsonb NOT NULL,
  alert_words text[] NOT NULL,
  muted_user_ids bigint[] NOT NULL,
  version bigint NOT NULL
);
CREATE INDEX personal_with_alert_words ON personal (realm_id) WHERE alert_words <> '{}';
CREATE INDEX personal_muting ON personal USING gin (muted_user_ids);
