-- Permissions of single accounts, given by operators.
ALTER TABLE users ADD COLUMN can_create_users boolean NOT NULL DEFAULT false;
ALTER TABLE users ADD COLUMN can_change_user_emails boolean NOT NULL DEFAULT false;
-- The account's data was removed for good.
ALTER TABLE users ADD COLUMN is_deleted boolean NOT NULL DEFAULT false CHECK (NOT (is_deleted AND is_active));
-- Made by somebody else, and never used: date_joined becomes the time of the first log-in (level 475).
ALTER TABLE users ADD COLUMN awaits_first_log_in boolean NOT NULL DEFAULT false;
