-- Since when an organization is deactivated, and from when on its data is to be deleted for good (null: kept).
ALTER TABLE realms
  ADD COLUMN deactivated_at timestamptz,
  ADD COLUMN deletion_due_at timestamptz,
  -- A demo organization is deleted at this time whatever happens; null for others.
  ADD COLUMN demo_deletion_at timestamptz;
UPDATE realms SET deactivated_at = now() WHERE NOT is_active;
