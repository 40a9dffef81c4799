-- What accounts chose for themselves. Who never chose anything, and was given nothing, has no row.
CREATE TABLE personal (
  user_id bigint PRIMARY KEY REFERENCES users,
  -- Settings that differ from their defaults (libs/contracts/src/identity/user-settings.ts), by name; the time zone and
  -- who sees the e-mail address are columns of users.
  settings jsonb NOT NULL DEFAULT '{}',
  -- Names of the settings that the account itself changed once, however they are now.
  chosen text[] NOT NULL DEFAULT '{}',
  alert_words text[] NOT NULL DEFAULT '{}',
  version bigint NOT NULL DEFAULT 1
);

CREATE TABLE muted_users (
  user_id bigint NOT NULL REFERENCES users,
  muted_user_id bigint NOT NULL REFERENCES users,
  muted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, muted_user_id),
  CHECK (user_id <> muted_user_id)
);

-- What new people start with, where it differs from the defaults in the code.
ALTER TABLE realms ADD COLUMN user_settings_defaults jsonb NOT NULL DEFAULT '{}';
