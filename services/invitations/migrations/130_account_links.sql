-- Links by which an account gets a new address, or a new password; mailed to the address that the link is about.
CREATE TABLE account_links (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('new_address', 'password_reset')),
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  -- The account's address when the link was asked for: with another one since, the link is worth nothing.
  old_email text NOT NULL,
  -- Null for a password.
  new_email text,
  nonce bytea NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'used', 'replaced'))
);
CREATE INDEX account_links_of_user ON account_links (user_id, kind) WHERE state = 'open';
CREATE INDEX account_links_by_age ON account_links (expires_at);

ALTER TABLE mails DROP CONSTRAINT mails_kind_check;
ALTER TABLE mails ADD CONSTRAINT mails_kind_check CHECK (kind IN (
  'invitation', 'confirmation', 'has_account', 'founding', 'new_address', 'address_changed', 'password_reset', 'deactivated'));
-- What a mail says that is nowhere else: an administrator's comment, a new address.
ALTER TABLE mails ADD COLUMN note text;
