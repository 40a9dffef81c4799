-- Organizations that somebody wants to make in the browser: the address is to be confirmed first. Keys are kept as those
-- of invitations are.
CREATE TABLE foundings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The name under which identity knows it, so that a repeated step has no second effect.
  name uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  subdomain text NOT NULL,
  realm_name text NOT NULL,
  email text NOT NULL,
  nonce bytea NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- `claimed`: its founder gave name and password, and identity makes it.
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'claimed', 'done')),
  full_name text,
  -- As identity stores it; gone once the organization is made.
  password_hash text,
  -- The lease of who works on it.
  due_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  CHECK ((state = 'claimed') = (due_at IS NOT NULL AND password_hash IS NOT NULL))
);
CREATE INDEX foundings_due ON foundings (due_at) WHERE state = 'claimed';

-- Mail of no organization has realm_id 0.
ALTER TABLE mails DROP CONSTRAINT mails_kind_check;
ALTER TABLE mails ADD CONSTRAINT mails_kind_check
  CHECK (kind IN ('invitation', 'confirmation', 'has_account', 'founding'));
