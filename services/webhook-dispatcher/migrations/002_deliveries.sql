-- A message that a bot is told of. `message` is kept as it was when the bot was triggered, so that every attempt sends
-- the same.
CREATE TABLE deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What receivers and people know it by.
  public_id text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  realm_id bigint NOT NULL,
  bot_id bigint NOT NULL,
  message_id bigint NOT NULL,
  trigger text NOT NULL,
  message jsonb NOT NULL,
  traceparent text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'withdrawn')),
  failure text,
  -- src/deliveries/delivery-schedule.ts
  phase text NOT NULL DEFAULT 'interactive' CHECK (phase IN ('interactive', 'long', 'manual')),
  -- Attempts made in this phase, and altogether.
  phase_attempts integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_status integer,
  -- When it is due. Whoever works on it moves this ahead: that is the lease, and when its holder dies the delivery is
  -- due again. Null once it is over.
  due_at timestamptz DEFAULT clock_timestamp(),
  -- The holder of the lease; what others write for it does not count.
  lease uuid,
  finished_at timestamptz,
  CHECK ((state = 'pending') = (due_at IS NOT NULL)),
  UNIQUE (bot_id, message_id)
);
-- The due ones of one bot; the bots that have any, by skipping from one to the next.
CREATE INDEX deliveries_due ON deliveries (bot_id, due_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_bot ON deliveries (bot_id, id DESC);
CREATE INDEX deliveries_by_age ON deliveries (finished_at) WHERE state <> 'pending';

CREATE TABLE attempts (
  delivery_id bigint NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number integer NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  url text NOT NULL,
  status integer,
  error text,
  response_body text,
  PRIMARY KEY (delivery_id, number)
);

-- Messages that bots are going to send: replies, and notices of failures. Written with the outcome of the attempt that
-- causes them, so that none is lost; sent under their own name, so that none is sent twice.
CREATE TABLE posts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Unique for ever: what channels knows the message by when it is sent again.
  name text NOT NULL UNIQUE,
  realm_id bigint NOT NULL,
  subdomain text NOT NULL,
  bot_id bigint NOT NULL,
  delivery_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('reply', 'notice', 'owner_notice')),
  recipients jsonb NOT NULL,
  content text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- As with deliveries.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX posts_due ON posts (due_at);
