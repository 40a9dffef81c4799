import type { Queries } from '../room.ts'

export type MailKind =
  | 'invitation'
  | 'confirmation'
  | 'has_account'
  | 'founding'
  | 'new_address'
  | 'address_changed'
  | 'password_reset'
  | 'deactivated'

export interface NewMail {
  /** `noRealm` for mail of no organization. */
  readonly realm_id: number
  readonly kind: MailKind
  readonly recipient: string
  readonly subject_id: number | null
  /** What it says that is nowhere else. */
  readonly note?: string | null
}

/** A mail to be sent, held for a while by who took it. */
export interface Mail extends NewMail {
  readonly id: number
  readonly attempts: number
  /** Seconds since it was written. */
  readonly age: number
}

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Longer than a mail server may take for one mail. */
const leaseSeconds = 180

export const insertMails = async (sql: Queries, mails: readonly NewMail[]): Promise<void> => {
  for (const mail of mails) {
    const row = { ...mail, note: mail.note ?? null }
    await sql`INSERT INTO mails ${sql(row, 'realm_id', 'kind', 'recipient', 'subject_id', 'note')}`
  }
}

/** What is about the same thing and was not sent yet is not sent any more. */
export const dropWaiting = async (sql: Queries, kind: MailKind, subjectId: number): Promise<void> => {
  await sql`
    UPDATE mails SET state = 'dropped' WHERE kind = ${kind} AND subject_id = ${subjectId} AND state = 'waiting'`
}

export const claimMails = (sql: Queries, limit: number): Promise<Mail[]> =>
  sql<Mail[]>`
    UPDATE mails m SET due_at = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    WHERE m.id = ANY (ARRAY (
      SELECT id FROM mails WHERE state = 'waiting' AND due_at <= now() ORDER BY due_at LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))
    RETURNING m.id, m.realm_id, m.kind, m.recipient, m.subject_id, m.note, m.attempts,
      extract(epoch FROM now() - m.created_at)::float8 AS age`

export const settleMail = async (
  sql: Queries,
  id: number,
  outcome: { state: 'sent' | 'captured' | 'dropped' | 'failed'; error?: string; content?: MailContent },
): Promise<void> => {
  const content = outcome.content === undefined ? null : JSON.stringify(outcome.content)
  await sql`
    UPDATE mails SET state = ${outcome.state}, error = ${outcome.error ?? null}, content = ${content}::text::jsonb
    WHERE id = ${id} AND state = 'waiting'`
}

export const postponeMail = async (
  sql: Queries,
  id: number,
  seconds: number,
  error: string,
): Promise<void> => {
  await sql`
    UPDATE mails SET due_at = now() + make_interval(secs => ${seconds}), error = ${error}
    WHERE id = ${id} AND state = 'waiting'`
}

/** Mails of one kind that an organization wrote within the last so many hours, to one address or to all. */
export const countMails = async (
  sql: Queries,
  realmId: number,
  kind: MailKind,
  hours: number,
  recipient: string | null = null,
): Promise<number> => {
  const [counted] = await sql<{ count: number }[]>`
    SELECT count(*)::integer AS count FROM mails
    WHERE realm_id = ${realmId} AND kind = ${kind} AND created_at > now() - make_interval(hours => ${hours})
      AND (${recipient}::text IS NULL OR lower(recipient) = lower(${recipient}))`
  return counted!.count
}

/** One at a time counts an organization's mail and writes more, until the end of the transaction. */
export const lockMailCount = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock((509012::bigint << 32) + ${realmId})`
}

export const capturedMails = (
  sql: Queries,
  realmIds: readonly number[],
  limit: number,
): Promise<(MailContent & { to: string; written: number })[]> =>
  sql<(MailContent & { to: string; written: number })[]>`
    SELECT recipient AS to, content ->> 'subject' AS subject, content ->> 'text' AS text,
      content ->> 'html' AS html, floor(extract(epoch FROM created_at))::bigint AS written
    FROM mails WHERE realm_id = ANY (${[...realmIds]}::bigint[]) AND state = 'captured' ORDER BY id DESC LIMIT ${limit}`

/** Removes mail that is done with and old enough not to be counted any more. @returns how many. */
export const forgetMails = async (sql: Queries, limit: number): Promise<number> =>
  (
    await sql`
      DELETE FROM mails WHERE id = ANY (ARRAY (
        SELECT id FROM mails WHERE state <> 'waiting' AND created_at < now() - interval '3 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  ).count

export const noteUnsubscribed = async (sql: Queries, realmId: number, email: string): Promise<void> => {
  await sql`
    INSERT INTO unsubscribed (realm_id, email) VALUES (${realmId}, lower(${email})) ON CONFLICT DO NOTHING`
}

/** Those of some addresses (in lower case) that want no invitations. */
export const unsubscribedOf = async (
  sql: Queries,
  realmId: number,
  emails: readonly string[],
): Promise<Set<string>> => {
  const rows = await sql<{ email: string }[]>`
    SELECT email FROM unsubscribed WHERE realm_id = ${realmId} AND email = ANY (${[...emails]}::text[])`
  return new Set(rows.map(({ email }) => email))
}
