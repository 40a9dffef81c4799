import { refuse } from '@parley/contracts'
import type { Account, UserDirectory } from './user-directory.ts'

/** @throws ApiError BAD_REQUEST for an account that the organization does not have. */
export const demandAccount = async (users: UserDirectory, realmId: number, id: number): Promise<Account> => {
  const account = (await users.byIds(realmId, [id])).get(id)
  if (account === undefined) throw refuse('BAD_REQUEST', 'No such user')
  return account
}
