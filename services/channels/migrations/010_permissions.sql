-- What permissions are decided by: all settings of an organization as they are in force, how old accounts are, and who is
-- in which user group. Copies of what identity owns (src/directory/, src/permissions/).
ALTER TABLE realms ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
ALTER TABLE users ADD COLUMN date_joined timestamptz;

CREATE TABLE user_groups (
  id bigint PRIMARY KEY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  is_system_group boolean NOT NULL,
  is_active boolean NOT NULL,
  can_mention_group jsonb NOT NULL,
  version bigint NOT NULL
);
CREATE INDEX user_groups_by_name ON user_groups (realm_id, lower(name));

-- Direct members. Those of system groups follow from roles and are not stored.
CREATE TABLE group_members (
  group_id bigint NOT NULL,
  user_id bigint NOT NULL,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_by_user ON group_members (user_id);

-- Direct subgroups. Facts of groups come in any order, so either may be unknown yet.
CREATE TABLE group_subgroups (
  group_id bigint NOT NULL,
  subgroup_id bigint NOT NULL,
  PRIMARY KEY (group_id, subgroup_id)
);
CREATE INDEX group_subgroups_by_subgroup ON group_subgroups (subgroup_id);

-- Everything is read once more, for what the copies did not keep until now.
UPDATE realms SET version = 0;
UPDATE users SET version = 0;
DELETE FROM inbox WHERE consumer IN ('channels.users', 'channels.realms');
