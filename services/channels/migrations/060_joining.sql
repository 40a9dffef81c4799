-- Newcomers who were let into their channels, by the name of the joining (invitations): a step that is repeated does
-- nothing any more, also when the newcomer has left some of them since.
CREATE TABLE joinings (
  name uuid PRIMARY KEY,
  user_id bigint NOT NULL
);
