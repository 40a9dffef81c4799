-- What somebody chose in their settings (identity), beside the older `away`: either hides their presence.
ALTER TABLE user_status ADD COLUMN presence_enabled boolean NOT NULL DEFAULT true;
