-- Accounts that were made for people who joined by themselves, by the name of the joining (invitations): a step that is
-- repeated finds what it has done.
CREATE TABLE joinings (
  name uuid PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users
);
