import { serviceContract } from '../contract.ts'
import { realmsTopic, usersTopic } from '../identity/topics.ts'
import * as queues from './queues.ts'

export const eventQueue = serviceContract('event-queue', {
  endpoints: { ...queues },
  internals: {},
  sections: {},
  follows: [usersTopic, realmsTopic],
})
