-- Addresses that somebody wants to join with and has to confirm: by a link of many uses, or where no invitation is
-- needed (invitation_id null). Keys are kept as those of invitations are.
CREATE TABLE confirmations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  invitation_id bigint REFERENCES invitations,
  email text NOT NULL,
  nonce bytea NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'used'))
);
CREATE INDEX confirmations_of_invitation ON confirmations (invitation_id);

-- People on their way in. Each step is repeated until it is done, whoever dies meanwhile: the account (identity),
-- the channels and the greeting (channels).
CREATE TABLE joinings (
  -- The name under which the other services know the steps, so that a repeated one has no second effect.
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  realm_id bigint NOT NULL,
  invitation_id bigint REFERENCES invitations,
  confirmation_id bigint REFERENCES confirmations,
  email text NOT NULL,
  full_name text NOT NULL,
  -- As identity stores it; gone once the account is made.
  password_hash text,
  step text NOT NULL DEFAULT 'account' CHECK (step IN ('account', 'channels', 'done', 'refused')),
  user_id bigint,
  -- Why the account could not be made.
  refusal text,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  CHECK (invitation_id IS NOT NULL OR confirmation_id IS NOT NULL)
);
CREATE INDEX joinings_due ON joinings (due_at) WHERE step NOT IN ('done', 'refused');
