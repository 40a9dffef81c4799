-- Custom emoji of organizations. A copy of what uploads owns, kept current by its facts (src/directory/).
CREATE TABLE realm_emoji (
  id text PRIMARY KEY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  source_url text NOT NULL,
  still_url text,
  deactivated boolean NOT NULL
);
CREATE INDEX realm_emoji_of_realm ON realm_emoji (realm_id);
