import { serviceContract } from '../contract.ts'
import { realmLifecycleTopic } from '../identity/realm-lifecycle.ts'
import { personalTopic, realmsTopic, usersTopic } from '../identity/topics.ts'
import { dataQuestions } from '../realm-data.ts'
import { emojiTopic } from '../uploads/topics.ts'
import * as presences from './presences.ts'
import * as sections from './sections.ts'
import * as statuses from './statuses.ts'
import * as typing from './typing.ts'

export const presence = serviceContract('presence', {
  endpoints: { ...presences, ...statuses, ...typing },
  internals: dataQuestions('presence'),
  sections,
  follows: [usersTopic, personalTopic, realmsTopic, emojiTopic, realmLifecycleTopic],
})
