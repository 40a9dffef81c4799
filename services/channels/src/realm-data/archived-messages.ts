/**
 * Which messages archives have, as conditions on `t`: `$1` is the organization, `$2` the accounts that agreed. The other
 * services ask by `archived-messages`, so this is the only place that says so.
 */

/** Those that every member may read. */
export const archivedMessages = `t.channel_id IN (
  SELECT c.id FROM channels c WHERE c.realm_id = $1 AND NOT c.invite_only)`

/**
 * Those that somebody who agreed may read: of their direct conversations; of private channels that they are in and whose
 * history is shared with subscribers; else what was sent while they were in it. Where a message was moved, who received
 * it did so elsewhere.
 */
export const archivedWithConsent = `(
  t.channel_id IS NULL AND EXISTS (
    SELECT FROM conversation_participants p WHERE p.recipient_id = t.recipient_id AND p.user_id = ANY ($2))
  OR EXISTS (
    SELECT FROM channels c JOIN subscription_periods p ON p.channel_id = c.id
    WHERE c.id = t.channel_id AND c.history_public_to_subscribers AND p.user_id = ANY ($2) AND p.to_version IS NULL)
  OR t.received_channel_id IS NULL AND EXISTS (
    SELECT FROM subscription_periods p
    WHERE p.channel_id = t.channel_id AND p.user_id = ANY ($2) AND p.from_version <= t.membership_version
      AND (p.to_version IS NULL OR p.to_version > t.membership_version)))`
