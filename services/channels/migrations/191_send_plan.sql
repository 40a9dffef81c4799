-- A batch of messages is planned once per session, not once per call: making the plan took longer than following it.
ALTER FUNCTION send_messages(bigint[], jsonb) SET plan_cache_mode = 'force_generic_plan';
