-- Files that accounts uploaded. The bytes are in the object store under a key made of `path_id` without the name.
CREATE TABLE attachments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  owner_id bigint NOT NULL,
  -- <realm>/<xx>/<random>/<sanitized name>, as in the address.
  path_id text NOT NULL UNIQUE,
  -- As its uploader called it.
  name text NOT NULL,
  content_type text NOT NULL,
  size bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Since when nothing refers to it; null while something does.
  unclaimed_since timestamptz DEFAULT now()
);
CREATE INDEX attachments_by_owner ON attachments (owner_id, id);
CREATE INDEX attachments_unclaimed ON attachments (unclaimed_since) WHERE unclaimed_since IS NOT NULL;

-- Bytes of all files of an organization.
CREATE TABLE realm_usage (
  realm_id bigint PRIMARY KEY,
  bytes bigint NOT NULL
);

-- Objects of the store that no row refers to: on their way in, or on their way out. Who takes one in deletes its row
-- in the transaction that makes the row that refers to it; the sweeper deletes the others when their time has come.
CREATE TABLE loose_objects (
  key text PRIMARY KEY,
  discard_at timestamptz NOT NULL
);
CREATE INDEX loose_objects_by_time ON loose_objects (discard_at);
