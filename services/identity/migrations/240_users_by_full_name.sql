-- no transaction
CREATE INDEX CONCURRENTLY users_by_full_name ON users (realm_id, lower(full_name));
