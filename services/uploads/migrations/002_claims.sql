-- Messages that refer to a file. Who may read one of them may have the file.
CREATE TABLE attachment_messages (
  attachment_id bigint NOT NULL REFERENCES attachments ON DELETE CASCADE,
  message_id bigint NOT NULL,
  PRIMARY KEY (attachment_id, message_id)
);
CREATE INDEX attachment_messages_by_message ON attachment_messages (message_id);
