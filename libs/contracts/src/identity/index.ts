import { serviceContract } from '../contract.ts'
import * as accounts from './accounts.ts'
import * as internals from './internals.ts'
import * as sections from './sections.ts'
import { realmsTopic, usersTopic } from './topics.ts'
import * as users from './users.ts'

export const identity = serviceContract('identity', {
  endpoints: { ...accounts, ...users },
  internals,
  sections,
  writes: [usersTopic, realmsTopic],
})
