-- Which organization archived rows are of, so that they end with it.
ALTER TABLE archived_rows ADD COLUMN realm_id bigint;
UPDATE archived_rows AS r SET realm_id = (m.content ->> 'realm_id')::bigint
FROM archived_rows AS m WHERE m.origin = 'messages' AND m.message_id = r.message_id;
CREATE INDEX archived_rows_by_realm ON archived_rows (realm_id);

-- As before, and the organization with each row.
CREATE OR REPLACE FUNCTION archive_messages(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
       INSERT INTO archived_rows (message_id, origin, content, realm_id)
       SELECT g.message_id, %1$L, to_jsonb(g), m.realm_id FROM gone g LEFT JOIN messages m ON m.id = g.message_id',
      origin)
    USING ids;
  END LOOP;
  WITH gone AS (DELETE FROM messages WHERE id = ANY (ids) RETURNING *)
  INSERT INTO archived_rows (message_id, origin, content, realm_id)
  SELECT g.id, 'messages', to_jsonb(g), g.realm_id FROM gone g;
END
$$;
