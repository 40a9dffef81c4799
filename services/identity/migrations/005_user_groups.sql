ALTER TABLE user_groups
  ADD COLUMN description text NOT NULL DEFAULT '',
  -- Null for system groups.
  ADD COLUMN creator_id bigint REFERENCES users,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN deactivated boolean NOT NULL DEFAULT false,
  -- The six can_*_group settings, each a group-setting value; empty for system groups, which nobody can change.
  ADD COLUMN settings jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN version bigint NOT NULL DEFAULT 1;
