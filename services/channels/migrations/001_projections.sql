-- Copies of what identity owns, kept current by its facts (src/directory/). A row is replaced only by a newer version.
CREATE TABLE realms (
  id bigint PRIMARY KEY,
  subdomain text NOT NULL,
  name text NOT NULL,
  is_active boolean NOT NULL,
  -- {"role:everyone": 12, ...}: which group IDs the system groups have here.
  system_groups jsonb NOT NULL,
  version bigint NOT NULL
);

CREATE TABLE users (
  id bigint PRIMARY KEY,
  realm_id bigint NOT NULL,
  email text NOT NULL,
  delivery_email text NOT NULL,
  full_name text NOT NULL,
  role smallint NOT NULL,
  is_active boolean NOT NULL,
  bot_type smallint,
  bot_owner_id bigint,
  avatar_source text NOT NULL,
  avatar_version integer NOT NULL,
  version bigint NOT NULL
);
CREATE INDEX users_by_email ON users (realm_id, lower(email));
CREATE INDEX users_by_full_name ON users (realm_id, lower(full_name));
