import { companyTopic } from '../channels/topics.ts'
import { serviceContract } from '../contract.ts'
import * as accountLinks from './account-links.ts'
import * as accounts from './accounts.ts'
import * as alertWords from './alert-words.ts'
import * as avatars from './avatars.ts'
import * as botStorage from './bot-storage.ts'
import * as bots from './bots.ts'
import * as calls from './calls.ts'
import * as devices from './devices.ts'
import * as founding from './founding.ts'
import * as internals from './internals.ts'
import * as joining from './joining.ts'
import * as linkifiers from './linkifiers.ts'
import * as mutedUsers from './muted-users.ts'
import * as onboardingSteps from './onboarding-steps.ts'
import * as permissionQuestions from './permission-questions.ts'
import * as personalQuestions from './personal-questions.ts'
import * as profileFields from './profile-fields.ts'
import * as realm from './realm.ts'
import * as realmDataQuestions from './realm-data-questions.ts'
import * as realmExports from './realm-exports.ts'
import * as realmLife from './realm-life.ts'
import * as realmLifeQuestions from './realm-life-questions.ts'
import { realmLifecycleTopic } from './realm-lifecycle.ts'
import * as realmPictures from './realm-pictures.ts'
import * as republishing from './republishing.ts'
import * as sections from './sections.ts'
import * as settings from './settings.ts'
import {
  arrivalsTopic,
  botsTopic,
  departuresTopic,
  groupsTopic,
  personalTopic,
  realmsTopic,
  usersTopic,
} from './topics.ts'
import * as userAdministration from './user-administration.ts'
import * as userGroups from './user-groups.ts'
import * as users from './users.ts'
import * as welcome from './welcome.ts'

export const identity = serviceContract('identity', {
  endpoints: {
    ...accounts,
    ...users,
    ...userAdministration,
    ...bots,
    ...calls,
    ...userGroups,
    ...realm,
    ...realmLife,
    ...realmExports,
    ...botStorage,
    ...alertWords,
    ...mutedUsers,
    ...settings,
    ...profileFields,
    ...linkifiers,
    ...onboardingSteps,
    ...devices,
    ...welcome,
  },
  internals: {
    ...internals,
    ...accountLinks,
    ...avatars,
    ...permissionQuestions,
    ...personalQuestions,
    ...joining,
    ...founding,
    ...realmLifeQuestions,
    ...realmDataQuestions,
    ...{ republish: republishing.republish },
    ...realmPictures,
  },
  sections,
  writes: [
    usersTopic,
    realmsTopic,
    botsTopic,
    groupsTopic,
    personalTopic,
    arrivalsTopic,
    departuresTopic,
    realmLifecycleTopic,
  ],
  follows: [companyTopic],
})
