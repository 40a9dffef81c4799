-- What somebody has read of a conversation: everything up to a message, but for exceptions on either side of it. A
-- send writes nothing here, whoever it is for.
CREATE TABLE read_marks (
  user_id bigint NOT NULL,
  recipient_id bigint NOT NULL,
  read_up_to bigint NOT NULL,
  PRIMARY KEY (user_id, recipient_id)
);

CREATE TABLE read_exceptions (
  user_id bigint NOT NULL,
  recipient_id bigint NOT NULL,
  message_id bigint NOT NULL,
  is_read boolean NOT NULL,
  PRIMARY KEY (user_id, recipient_id, message_id)
);
CREATE INDEX read_exceptions_by_message ON read_exceptions (message_id);
CREATE INDEX unread_exceptions ON read_exceptions (user_id, message_id) WHERE NOT is_read;
