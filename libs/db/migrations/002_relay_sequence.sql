-- The relay records the next batch while the one before is being published, so `ids` may hold both: the announcements
-- that are numbered and perhaps published, in order. `first_seq` is the sequence number of the first of them; each of
-- the others has the next one.
ALTER TABLE relay_state RENAME COLUMN batch TO first_seq;
