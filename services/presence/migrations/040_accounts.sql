-- Copied from identity's facts, to know whom a status is for in organizations where guests do not know everybody.
CREATE TABLE accounts (
  user_id bigint PRIMARY KEY,
  realm_id bigint NOT NULL,
  is_active boolean NOT NULL,
  is_guest boolean NOT NULL
);
CREATE INDEX accounts_of_realm ON accounts (realm_id) WHERE is_active;
