-- What a service announces, written in the transaction that makes it true (libs/bus carries it to Kafka).
-- A public contract: a statement of a service may insert topic, key, value, audience and traceparent by itself, as the
-- last thing before it commits (IDs have to be drawn after the rows of the changed entities were locked).
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  topic text NOT NULL,
  key text NOT NULL,
  -- JSON, `null` is a tombstone. What Kafka would refuse as too large (8 MiB with its envelope) must be refused here: it
  -- would stop the relay.
  value text NOT NULL CONSTRAINT outbox_value_size CHECK (octet_length(value) <= 4194304),
  -- Of client events: who is told, as the Audience of libs/contracts.
  audience jsonb,
  -- W3C trace context of the change.
  traceparent text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Rows live for milliseconds: vacuum by what was deleted, not by the size of the table.
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The batch that the relay is publishing now: fixed before it is produced, so that a successor repeats exactly it.
CREATE TABLE relay_state (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  batch bigint NOT NULL,
  ids bigint[] NOT NULL
);
INSERT INTO relay_state (batch, ids) VALUES (0, '{}');

-- How far a consumer has come, stored in the transaction of its effect.
CREATE TABLE inbox (
  consumer text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  -- The highest sequence number seen of each source: {"identity": 1048577}.
  seqs jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (consumer, topic, partition)
);
