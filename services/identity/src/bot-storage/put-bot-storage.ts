import { limits } from '@parley/contracts'
import { putBotStorage as contract } from '@parley/contracts/identity/bot-storage'
import { endpoint } from '../room.ts'
import { holdsNul } from '../users/user-store.ts'
import { lockStorage, storeEntries } from './bot-storage-store.ts'

export const putBotStorage = endpoint(contract, async ({ caller, params, transaction, refuse }) => {
  if (Object.entries(params.storage).flat().some(holdsNul)) {
    throw refuse('BAD_REQUEST', 'Keys and values must not contain null bytes.')
  }
  return transaction(async (tx) => {
    await lockStorage(tx.sql, caller.user.id)
    const excess = await storeEntries(tx.sql, caller.user.id, params.storage)
    if (excess > 0) {
      const limit = limits.maxBotStorageCharacters
      throw refuse(
        'BAD_REQUEST',
        `Request exceeds storage limit by ${excess} characters. The limit is ${limit} characters.`,
      )
    }
    return {}
  })
})
