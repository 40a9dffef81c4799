-- Whom guests may know, in organizations that let them know only those with whom they share a channel or a conversation
-- (channels says so); empty in all others. Bots, and oneself, everybody knows: they are not in it.
CREATE TABLE acquaintances (
  guest_id bigint NOT NULL REFERENCES users,
  user_id bigint NOT NULL REFERENCES users,
  PRIMARY KEY (guest_id, user_id)
);
CREATE INDEX acquaintances_user ON acquaintances (user_id);

-- Whether the organization's setting can_access_all_users_group leaves guests out.
CREATE FUNCTION limits_guests(realm bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT realms.settings -> 'can_access_all_users_group' = to_jsonb(user_groups.id)
    FROM realms JOIN user_groups ON user_groups.realm_id = realms.id
      AND user_groups.is_system_group AND user_groups.name = 'role:members'
    WHERE realms.id = realm AND realms.settings ? 'can_access_all_users_group'), false)
$$;
