import { serviceContract } from '../contract.ts'
import * as accounts from './accounts.ts'
import * as botStorage from './bot-storage.ts'
import * as bots from './bots.ts'
import * as internals from './internals.ts'
import * as sections from './sections.ts'
import { botsTopic, realmsTopic, usersTopic } from './topics.ts'
import * as userAdministration from './user-administration.ts'
import * as users from './users.ts'

export const identity = serviceContract('identity', {
  endpoints: { ...accounts, ...users, ...userAdministration, ...bots, ...botStorage },
  internals,
  sections,
  writes: [usersTopic, realmsTopic, botsTopic],
})
