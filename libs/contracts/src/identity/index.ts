import { serviceContract } from '../contract.ts'
import * as accounts from './accounts.ts'
import * as botStorage from './bot-storage.ts'
import * as bots from './bots.ts'
import * as internals from './internals.ts'
import * as permissionQuestions from './permission-questions.ts'
import * as realm from './realm.ts'
import * as sections from './sections.ts'
import { botsTopic, groupsTopic, realmsTopic, usersTopic } from './topics.ts'
import * as userAdministration from './user-administration.ts'
import * as userGroups from './user-groups.ts'
import * as users from './users.ts'

export const identity = serviceContract('identity', {
  endpoints: {
    ...accounts,
    ...users,
    ...userAdministration,
    ...bots,
    ...userGroups,
    ...realm,
    ...botStorage,
  },
  internals: { ...internals, ...permissionQuestions },
  sections,
  writes: [usersTopic, realmsTopic, botsTopic, groupsTopic],
})
