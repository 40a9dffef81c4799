import { serviceContract } from '../contract.ts'
import { realmLifecycleTopic } from '../identity/realm-lifecycle.ts'
import { departuresTopic, groupsTopic, realmsTopic, usersTopic } from '../identity/topics.ts'
import { dataQuestions } from '../realm-data.ts'
import * as accountLinks from './account-links.ts'
import * as foundings from './foundings.ts'
import * as internals from './internals.ts'
import * as invites from './invites.ts'
import * as joining from './joining.ts'
import * as mail from './mail.ts'
import * as realmDomains from './realm-domains.ts'
import * as sections from './sections.ts'

export const invitations = serviceContract('invitations', {
  endpoints: { ...realmDomains, ...invites, ...mail, ...joining, ...foundings, ...accountLinks },
  internals: { ...internals, ...dataQuestions('invitations') },
  sections,
  follows: [usersTopic, realmsTopic, groupsTopic, departuresTopic, realmLifecycleTopic],
})
