import { roles } from '@parley/contracts'
import { devListUsers as contract } from '@parley/contracts/identity/accounts'
import { endpoint } from '../room.ts'

/** People listed: nobody logs in by a longer list. */
const longestList = 500

export const devListUsers = endpoint(contract, async ({ caller, deps, refuse }) => {
  if (!deps.isDevelopment) {
    throw refuse('BAD_REQUEST', 'Logging in without a password is only possible in development mode.')
  }
  const people = await deps.database.sql<{ delivery_email: string; role: number }[]>`
    SELECT delivery_email, role FROM users
    WHERE realm_id = ${caller.realm.id} AND is_active AND bot_type IS NULL
    ORDER BY role, lower(delivery_email) LIMIT ${longestList}`
  const { url } = caller.realm
  const [direct_admins, direct_users] = [true, false].map((isAdmin) =>
    people
      .filter(({ role }) => role <= roles.administrator === isAdmin)
      .map(({ delivery_email: email }) => ({ email, realm_url: url, realm_uri: url })),
  )
  return { direct_admins: direct_admins!, direct_users: direct_users! }
})
