-- Messages that came by a move: what of them was never news to a reader counts as read, wherever the reader's mark is.
CREATE INDEX messages_moved_here ON messages (recipient_id, id) WHERE received_version IS NOT NULL;
