import type { Queries } from '../room.ts'

/** An inviter to look at, held for a while by who took it. */
export interface InviterToJudge {
  readonly inviter_id: number
  readonly realm_id: number
  readonly has_news: boolean
  readonly reasons: number
}

const leaseSeconds = 30

/** Puts those who have open invitations on the list: one inviter, or all of an organization. */
export const noteInviters = async (
  sql: Queries,
  whose: { inviterId: number } | { realmId: number },
): Promise<void> => {
  const which = 'inviterId' in whose ? sql`inviter_id = ${whose.inviterId}` : sql`realm_id = ${whose.realmId}`
  await sql`
    INSERT INTO inviters_to_judge (inviter_id, realm_id, has_news)
    SELECT DISTINCT inviter_id, realm_id, false FROM invitations WHERE state = 'open' AND ${which}
    ORDER BY inviter_id
    ON CONFLICT (inviter_id) DO UPDATE SET reasons = inviters_to_judge.reasons + 1, due_at = now()`
}

/** Ends the open invitations of an address, which has an account now; their inviters are to be told. */
export const endInvitationsOf = async (sql: Queries, realmId: number, email: string): Promise<void> => {
  await sql`
    WITH ended AS (
      UPDATE invitations SET state = 'revoked', ended_at = now()
      WHERE realm_id = ${realmId} AND lower(email) = lower(${email}) AND state = 'open'
      RETURNING inviter_id, realm_id)
    INSERT INTO inviters_to_judge (inviter_id, realm_id, has_news)
    SELECT DISTINCT inviter_id, realm_id, true FROM ended ORDER BY inviter_id
    ON CONFLICT (inviter_id) DO UPDATE SET
      has_news = true, reasons = inviters_to_judge.reasons + 1, due_at = now()`
}

export const claimInviters = (sql: Queries, limit: number): Promise<InviterToJudge[]> =>
  sql<InviterToJudge[]>`
    UPDATE inviters_to_judge i SET due_at = now() + make_interval(secs => ${leaseSeconds})
    WHERE i.inviter_id = ANY (ARRAY (
      SELECT inviter_id FROM inviters_to_judge WHERE due_at <= now() ORDER BY due_at LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))
    RETURNING i.inviter_id, i.realm_id, i.has_news, i.reasons`

/** Takes an inviter off the list, unless there is a new reason to look; then it is due again at once. */
export const settleInviter = async (sql: Queries, judged: InviterToJudge): Promise<void> => {
  await sql`
    WITH settled AS (
      DELETE FROM inviters_to_judge WHERE inviter_id = ${judged.inviter_id} AND reasons = ${judged.reasons}
      RETURNING inviter_id)
    UPDATE inviters_to_judge SET due_at = now()
    WHERE inviter_id = ${judged.inviter_id} AND NOT EXISTS (SELECT FROM settled)`
}
