-- Messages of accounts that were ended, to be deleted for everybody because an administrator said so. A row goes when
-- nothing is left of it.
CREATE TABLE message_removals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  -- Of `public_channels`, `private_channels`, `direct`.
  kinds text[] NOT NULL,
  -- Newer ones the account wrote after it had come back.
  until_message_id bigint NOT NULL,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX message_removals_due ON message_removals (due_at);
