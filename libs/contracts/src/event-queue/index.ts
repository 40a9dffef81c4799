import { serviceContract } from '../contract.ts'
import { realmLifecycleTopic } from '../identity/realm-lifecycle.ts'
import { realmsTopic, usersTopic } from '../identity/topics.ts'
import { traceQuestion } from '../realm-data.ts'
import * as queues from './queues.ts'

export const eventQueue = serviceContract('event-queue', {
  endpoints: { ...queues },
  internals: traceQuestion('event-queue'),
  sections: {},
  follows: [usersTopic, realmsTopic, realmLifecycleTopic],
})
