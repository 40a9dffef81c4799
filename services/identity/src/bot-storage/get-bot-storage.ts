import { getBotStorage as contract } from '@parley/contracts/identity/bot-storage'
import { endpoint } from '../room.ts'
import { holdsNul } from '../users/user-store.ts'
import { storedEntries } from './bot-storage-store.ts'

export const getBotStorage = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const { keys } = params
  const missing = () => refuse('BAD_REQUEST', 'Key does not exist.')
  if (keys?.some(holdsNul)) throw missing()
  const storage = await storedEntries(deps.database.sql, caller.user.id, keys)
  if (keys?.some((key) => !Object.hasOwn(storage, key))) throw missing()
  return { storage }
})
