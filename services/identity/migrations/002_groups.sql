-- Settings that differ from their defaults (libs/contracts/src/identity/realm-settings.ts), by name.
ALTER TABLE realms ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';

-- Who is in which group. The members of system groups are not stored: they follow from roles (direct_system_group).
CREATE TABLE group_members (
  group_id bigint NOT NULL REFERENCES user_groups,
  user_id bigint NOT NULL REFERENCES users,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_user ON group_members (user_id);

CREATE TABLE group_subgroups (
  group_id bigint NOT NULL REFERENCES user_groups,
  subgroup_id bigint NOT NULL REFERENCES user_groups,
  PRIMARY KEY (group_id, subgroup_id)
);
CREATE INDEX group_subgroups_subgroup ON group_subgroups (subgroup_id);

-- Every group that is in another, however deep, and each in itself: a permission is checked without recursion.
CREATE TABLE group_closure (
  group_id bigint NOT NULL REFERENCES user_groups,
  subgroup_id bigint NOT NULL REFERENCES user_groups,
  PRIMARY KEY (group_id, subgroup_id)
);
CREATE INDEX group_closure_subgroup ON group_closure (subgroup_id);

-- The innermost system group that an account is in. Members wait for waiting_period_threshold days to be full ones.
CREATE FUNCTION direct_system_group(role smallint, date_joined timestamptz, waiting_days integer) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE role
    WHEN 100 THEN 'role:owners'
    WHEN 200 THEN 'role:administrators'
    WHEN 300 THEN 'role:moderators'
    WHEN 400 THEN CASE WHEN date_joined <= now() - make_interval(days => waiting_days)
      THEN 'role:fullmembers' ELSE 'role:members' END
    ELSE 'role:everyone'
  END
$$;

-- System groups are nested in the order in which they were made, but for role:nobody.
INSERT INTO group_subgroups (group_id, subgroup_id)
SELECT outside.id, inside.id FROM user_groups AS outside JOIN LATERAL (
  SELECT id FROM user_groups
  WHERE realm_id = outside.realm_id AND is_system_group AND id < outside.id
  ORDER BY id DESC LIMIT 1
) AS inside ON true
WHERE outside.is_system_group AND outside.name <> 'role:nobody';

INSERT INTO group_closure (group_id, subgroup_id)
SELECT outside.id, inside.id FROM user_groups AS outside
JOIN user_groups AS inside ON inside.realm_id = outside.realm_id AND inside.is_system_group
  AND (inside.id = outside.id OR inside.id < outside.id AND outside.name <> 'role:nobody')
WHERE outside.is_system_group;
