import { requirePasswordReset as contract } from '@parley/contracts/identity/account-links'
import { demandRealm } from '../realms/demand-realm.ts'
import { internal } from '../room.ts'
import { demandAccount } from '../users/demand-account.ts'

/** Only accounts that have a password; those of a directory are the directory's. */
export const requirePasswordReset = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const realm = await demandRealm(sql, input.realm)
  const account = input.email === null ? undefined : await demandAccount(sql, realm.id, input.email)
  const changed = await sql`
    UPDATE users SET password_reset_required = true
    WHERE realm_id = ${realm.id} AND password_hash IS NOT NULL AND is_active
      AND (${account?.id ?? null}::bigint IS NULL OR id = ${account?.id ?? null})`
  return { accounts: changed.count }
})
