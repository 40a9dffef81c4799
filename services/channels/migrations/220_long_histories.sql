-- A message that is edited over and over, as a board of some status is, carries its history: in each page that shows it,
-- and through each further edit.

-- The newest entries of a history that have at most so many bytes together, at least one.
CREATE FUNCTION newest_edits(history jsonb, bytes integer) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(history::text) <= bytes THEN RETURN history; END IF;
  RETURN (
    SELECT jsonb_agg(entry ORDER BY place)
    FROM (
      SELECT entry, place, sum(octet_length(entry::text)) OVER (ORDER BY place) AS size
      FROM jsonb_array_elements(history) WITH ORDINALITY AS edits(entry, place)
    ) sized
    WHERE size <= bytes OR place = 1);
END
$$;

-- What is kept of a history: all of it up to so many bytes; beyond, the newer half, and the oldest entries that say what
-- the message was at first, and where: nobody gets rid of that by editing on.
CREATE FUNCTION kept_edits(history jsonb, bytes integer) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(history::text) <= bytes THEN RETURN history; END IF;
  RETURN (
    SELECT jsonb_agg(entry ORDER BY place)
    FROM (
      SELECT entry, place, sum(octet_length(entry::text)) OVER (ORDER BY place) AS size,
        max(place) FILTER (WHERE entry ? 'prev_content') OVER () AS first_content,
        max(place) FILTER (WHERE entry ? 'prev_topic') OVER () AS first_topic,
        max(place) FILTER (WHERE entry ? 'prev_stream') OVER () AS first_channel
      FROM jsonb_array_elements(history) WITH ORDINALITY AS edits(entry, place)
    ) sized
    WHERE size <= bytes / 2 OR place IN (1, first_content, first_topic, first_channel));
END
$$;
