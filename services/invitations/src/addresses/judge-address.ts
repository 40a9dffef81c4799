import { judgeAddress as contract } from '@parley/contracts/invitations/internals'
import { domainsOfRealm } from '../realm-domains/domain-store.ts'
import { internal } from '../room.ts'
import { addressFinding } from './address-rules.ts'

export const judgeAddress = internal(contract, async ({ input, deps }) => {
  const domains = await domainsOfRealm(deps.database.sql, input.realm_id)
  return { finding: addressFinding(input.email, input, domains) ?? null }
})
