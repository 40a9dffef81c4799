/**
 * All accounts of an organization in pages, for the state of registrations. An account looks the same to nearly all who
 * may see it, and seldom changes: the text of a page is kept under a name that says which state of which rows it was
 * written of. Who registers reads the states of pages, and the accounts of those that are not there as they are now.
 */
import { oncePerSnapshot } from '@parley/kit/once-per-snapshot'
import { type EmailVisibility, emailVisibility } from './email-visibility.ts'

/** Accounts in a page: as many are written anew when one of them has changed. */
const pageSize = 500

/** Some accounts that follow each other, active and ended ones, as a snapshot shows them. */
export interface AccountPage {
  /** The ID that goes before the first, and that of the last. */
  readonly after: number
  readonly last: number
  /** Another one whenever an account comes to the page, or anything of one changes. */
  readonly state: string
  /** Who may see the addresses of people in it: every setting that one of them has. */
  readonly visibilities: readonly EmailVisibility[]
}

/** The settings of who may see an address, each as a bit. */
const settingsIn = (bits: number): EmailVisibility[] =>
  Object.values(emailVisibility).filter((setting) => (bits & (1 << setting)) !== 0)

/**
 * All pages, by ID. A row is known by the transaction that wrote it (`xmin`), whoever changed it, and so are the values of
 * the account's profile: the same accounts with the same numbers, in whatever order, are as they were. Accounts are never
 * removed one by one, so a page begins where it always began.
 */
export const accountPages = oncePerSnapshot(async (sql, realmId: number): Promise<AccountPage[]> => {
  const pages = await sql<{ last: number; count: number; written: string; settings: number | null }[]>`
    SELECT max(id) AS last, count(*)::int AS count,
      encode(sha256(convert_to(string_agg(concat_ws(',', written, profile), ' '), 'UTF8')), 'hex') AS written,
      bit_or(1 << email_address_visibility) FILTER (WHERE bot_type IS NULL) AS settings
    FROM (
      SELECT id, xmin AS written, bot_type, email_address_visibility,
        (row_number() OVER (ORDER BY id) - 1) / ${pageSize}::bigint AS page
      FROM users WHERE realm_id = ${realmId}
    ) AS account
    LEFT JOIN (
      SELECT user_id, string_agg(stated.xmin::text, ',' ORDER BY field_id) AS profile
      FROM profile_values AS stated JOIN profile_fields ON profile_fields.id = field_id
      WHERE profile_fields.realm_id = ${realmId} GROUP BY user_id
    ) AS stated ON user_id = account.id
    GROUP BY page ORDER BY page`
  return pages.map(({ last, count, written, settings }, place) => ({
    after: place === 0 ? 0 : pages[place - 1]!.last,
    last,
    state: `${count} up to ${last}: ${written}`,
    visibilities: settingsIn(settings ?? 0),
  }))
})
