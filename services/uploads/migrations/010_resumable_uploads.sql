-- Uploads that may be interrupted and go on later, through any process (tus). What stands here of an upload is in the
-- store: a client that asks how far it came is told what would survive.
CREATE TABLE resumable_uploads (
  id text PRIMARY KEY,
  realm_id bigint NOT NULL,
  owner_id bigint NOT NULL,
  -- Upload-Metadata and Upload-Concat as they were sent: they are told again.
  metadata text,
  concat text,
  name text NOT NULL,
  content_type text NOT NULL,
  -- Where the file will be found; null for a part of a file.
  path_id text,
  object_key text NOT NULL,
  -- Bytes of the whole; null while nobody has said.
  length bigint,
  -- Bytes that are here: those of the parts, and of the tail.
  bytes bigint NOT NULL DEFAULT 0,
  -- The store's name for the upload in parts, once there is a whole part.
  store_upload text,
  next_part integer NOT NULL DEFAULT 1,
  -- What came after the last whole part, as an object of its own.
  tail_key text,
  tail_size integer NOT NULL DEFAULT 0,
  -- The request that may write, until when unless it says that it lives, and whether another one waits for it to end.
  holder text,
  held_until timestamptz,
  is_wanted boolean NOT NULL DEFAULT false,
  finished_at timestamptz,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '1 day'
);
CREATE INDEX resumable_uploads_by_expiry ON resumable_uploads (expires_at);
CREATE INDEX resumable_uploads_unfinished ON resumable_uploads (owner_id) WHERE finished_at IS NULL;

CREATE TABLE resumable_parts (
  upload_id text NOT NULL REFERENCES resumable_uploads ON DELETE CASCADE,
  number integer NOT NULL,
  etag text NOT NULL,
  PRIMARY KEY (upload_id, number)
);
