-- A browser may have logged in a moment before the password was changed: seconds alone do not tell the two apart.
ALTER TABLE users ALTER COLUMN sessions_since TYPE double precision;

-- The browser session in which the password was changed; the others are over. Null: no session is spared.
ALTER TABLE users ADD COLUMN spared_session text;
