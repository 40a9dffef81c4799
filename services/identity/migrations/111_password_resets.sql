-- Whoever has this set logs in by password again only after a new one was set by the link in a mail.
ALTER TABLE users ADD COLUMN password_reset_required boolean NOT NULL DEFAULT false;

-- Browsers that logged in before do so again: the password was set by mail. UNIX seconds; null: never.
ALTER TABLE users ADD COLUMN sessions_since bigint;
