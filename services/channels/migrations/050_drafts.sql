CREATE TABLE drafts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL,
  -- '' (to nobody yet), 'stream' (to one channel) or 'private' (to people).
  type text NOT NULL,
  recipients bigint[] NOT NULL,
  topic text NOT NULL,
  content text NOT NULL,
  -- UNIX seconds, as the client counts them.
  edited_at bigint NOT NULL
);
CREATE INDEX drafts_by_user ON drafts (user_id, edited_at, id);

CREATE TABLE saved_snippets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL,
  title text NOT NULL,
  content text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX saved_snippets_by_user ON saved_snippets (user_id, id);

CREATE TABLE navigation_views (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL,
  fragment text NOT NULL,
  is_pinned boolean NOT NULL,
  -- Null for the built-in places.
  name text
);
CREATE UNIQUE INDEX navigation_views_by_fragment ON navigation_views (user_id, fragment);
CREATE UNIQUE INDEX navigation_views_by_name ON navigation_views (user_id, name);
