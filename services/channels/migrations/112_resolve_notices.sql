-- That a topic was resolved, or is not any more, is news only for who wants to hear of it
-- (resolved_topic_notice_auto_read_policy). Such a message is read for everybody; those for whom it is news have an
-- exception, written with it, that it is unread.
ALTER TABLE messages ADD COLUMN is_quiet boolean NOT NULL DEFAULT false;
CREATE INDEX quiet_messages ON messages (recipient_id, id) WHERE is_quiet;
ALTER TABLE notices ADD COLUMN is_quiet boolean NOT NULL DEFAULT false;
