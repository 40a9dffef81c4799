-- Who is invited, by whom and to what. A key (what is in a link) is never stored: it is derived from SECRET_KEY and the
-- nonce for its owner to see again, and found by its hash.
CREATE TABLE invitations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  inviter_id bigint NOT NULL,
  -- Null for links that anybody may use who has them.
  email text,
  invited_as smallint NOT NULL CHECK (invited_as IN (100, 200, 300, 400, 600)),
  channel_ids bigint[] NOT NULL,
  group_ids bigint[] NOT NULL,
  include_realm_default_subscriptions boolean NOT NULL,
  notify_referrer_on_join boolean NOT NULL,
  -- Null for the organization's own, empty for none.
  welcome_message_custom_text text,
  nonce bytea NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  -- When it was sent the last time.
  invited_at timestamptz NOT NULL DEFAULT now(),
  -- Null for ever.
  validity_minutes bigint,
  expires_at timestamptz,
  -- `used`: its one account was made; links stay open.
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'used', 'revoked')),
  ended_at timestamptz,
  CHECK ((state = 'open') = (ended_at IS NULL))
);
CREATE INDEX invitations_of_realm ON invitations (realm_id, id) WHERE state = 'open';
CREATE INDEX invitations_of_inviter ON invitations (inviter_id, realm_id) WHERE state = 'open';
CREATE INDEX invitations_of_address ON invitations (realm_id, lower(email)) WHERE state = 'open';

-- Inviters whose rights may have changed, or whose invitations ended and who have not been told of it yet.
CREATE TABLE inviters_to_judge (
  inviter_id bigint PRIMARY KEY,
  realm_id bigint NOT NULL,
  -- Whether something is to be told whatever the judgement is.
  has_news boolean NOT NULL,
  -- Grows with every reason to judge, so that one that comes meanwhile is not lost.
  reasons bigint NOT NULL DEFAULT 1,
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX inviters_to_judge_due ON inviters_to_judge (due_at);
