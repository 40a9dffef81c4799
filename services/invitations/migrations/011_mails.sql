-- Mail to be sent, and what became of it. Texts are made when it is sent, so no key of a link is stored here (but in
-- development, where mail is kept to be looked at instead of being sent).
CREATE TABLE mails (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('invitation', 'confirmation', 'has_account')),
  recipient text NOT NULL,
  -- The invitation or the confirmation that it is about.
  subject_id bigint,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'captured', 'dropped', 'failed')),
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  error text,
  -- {subject, text, html} of what was captured.
  content jsonb
);
CREATE INDEX mails_due ON mails (due_at) WHERE state = 'waiting';
CREATE INDEX mails_of_realm ON mails (realm_id, created_at);
CREATE INDEX mails_by_subject ON mails (kind, subject_id) WHERE state = 'waiting';

-- Addresses that want no more invitations of an organization; in lower case.
CREATE TABLE unsubscribed (
  realm_id bigint NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  PRIMARY KEY (realm_id, email)
);
