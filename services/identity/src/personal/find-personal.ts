import { findPersonal as contract } from '@parley/contracts/identity/personal-questions'
import { internal } from '../room.ts'
import { personalFacts } from './personal-store.ts'

export const findPersonal = internal(contract, async ({ input, deps }) => ({
  personal: await personalFacts(deps.database.sql, input.realm_id, input.ids),
}))
