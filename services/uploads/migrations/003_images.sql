-- Pictures that anybody may have: avatars, custom emoji. Below `/user_avatars/`.
CREATE TABLE public_images (
  path text PRIMARY KEY,
  object_key text NOT NULL UNIQUE,
  content_type text NOT NULL
);

-- Custom emoji. An emoji that was deleted stays, deactivated: messages and reactions show it.
CREATE TABLE realm_emoji (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  author_id bigint NOT NULL,
  -- The last part of the addresses of its picture, and of the first frame of one that moves.
  file text NOT NULL,
  still_file text,
  deactivated boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX realm_emoji_by_name ON realm_emoji (realm_id, name) WHERE NOT deactivated;
CREATE INDEX realm_emoji_by_realm ON realm_emoji (realm_id, id);
