import { refuse } from '@parley/contracts'
import type { Queries } from '../room.ts'
import { type AccountWithSecrets, accountByDeliveryEmail } from './credential-store.ts'

/** The account that an operator names by its delivery e-mail. @throws ApiError BAD_REQUEST */
export const demandAccount = async (
  sql: Queries,
  realmId: number,
  email: string,
): Promise<AccountWithSecrets> => {
  const account = await accountByDeliveryEmail(sql, realmId, email.trim())
  if (account === undefined) throw refuse('BAD_REQUEST', `There is no account with the e-mail '${email}'.`)
  return account
}
