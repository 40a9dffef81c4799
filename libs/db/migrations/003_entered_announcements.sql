-- For a statement that borrowed the relay's account (libs/bus, relay-loans.ts): enters announcements that it has just
-- written, as the last thing before it commits. Whether it could: not if the account is another one by now, and not if
-- anything else waits to be entered, which may have to come first. The relay finds them then as it finds all others.
CREATE FUNCTION enter_announcements(entries bigint[], account_first bigint, account_size integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE relay_state r SET ids = r.ids || entries
  WHERE r.first_seq = account_first AND cardinality(r.ids) = account_size
    AND account_size + cardinality(entries) = (
      SELECT count(*) FROM (
        SELECT FROM outbox o ORDER BY o.id LIMIT account_size + cardinality(entries) + 1
      ) visible);
  RETURN FOUND;
END
$$;
