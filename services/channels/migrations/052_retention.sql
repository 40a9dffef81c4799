-- What messages were, and all rows of other tables that hung on them, until they are removed for good.
CREATE TABLE archived_rows (
  message_id bigint NOT NULL,
  -- The table that the row was in.
  origin text NOT NULL,
  content jsonb NOT NULL,
  archived_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX archived_rows_by_age ON archived_rows (archived_at);
CREATE INDEX archived_rows_by_message ON archived_rows (message_id);

-- How far the search for messages that are too old has come: one row, locked by whoever works.
CREATE TABLE retention_progress (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Conversations up to this one were looked at in this round.
  after_recipient_id bigint NOT NULL DEFAULT 0
);
INSERT INTO retention_progress DEFAULT VALUES;

-- Moves messages, and whatever hangs on them, into the archive. By convention that is every row with their ID in a
-- column message_id; so what is added later is not left behind. Kept are the memory of what was sent twice, and
-- reminders, which say that their message is not there any more.
CREATE FUNCTION archive_messages(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  origin text;
BEGIN
  FOR origin IN
    SELECT c.table_name FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = current_schema() AND c.column_name = 'message_id' AND t.table_type = 'BASE TABLE'
      AND c.table_name NOT IN ('archived_rows', 'sent_local_ids', 'reminders')
    ORDER BY c.table_name
  LOOP
    EXECUTE format(
      'WITH gone AS (DELETE FROM %1$I WHERE message_id = ANY ($1) RETURNING *)
       INSERT INTO archived_rows (message_id, origin, content) SELECT g.message_id, %1$L, to_jsonb(g) FROM gone g', origin)
    USING ids;
  END LOOP;
  WITH gone AS (DELETE FROM messages WHERE id = ANY (ids) RETURNING *)
  INSERT INTO archived_rows (message_id, origin, content) SELECT g.id, 'messages', to_jsonb(g) FROM gone g;
END
$$;
