-- Whether a channel counts as active (facts section 7: a message within 180 days), kept with the channel: what a
-- registration says and what events tell of it is one thing, and no listing looks for the newest message of each channel.
ALTER TABLE channels ADD COLUMN is_recently_active boolean NOT NULL DEFAULT true;
UPDATE channels c SET is_recently_active = false
WHERE c.created_at <= now() - interval '180 days' AND NOT EXISTS (
  SELECT FROM (SELECT m.sent_at FROM messages m WHERE m.recipient_id = c.recipient_id ORDER BY m.id DESC LIMIT 1) newest
  WHERE newest.sent_at > now() - interval '180 days');

-- When channels are looked through next for those that fell silent: one row, locked by whoever works.
CREATE TABLE activity_progress (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Channels up to this one were looked at in this round.
  after_channel_id bigint NOT NULL DEFAULT 0
);
INSERT INTO activity_progress DEFAULT VALUES;
