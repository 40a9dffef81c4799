-- What a service announces, written in the transaction that makes it true (libs/bus carries it to Kafka).
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  topic text NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  audience jsonb,
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
