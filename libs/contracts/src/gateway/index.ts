import { serviceContract } from '../contract.ts'
import { realmsTopic, usersTopic } from '../identity/topics.ts'

export const gateway = serviceContract('gateway', {
  endpoints: {},
  internals: {},
  sections: {},
  follows: [usersTopic, realmsTopic],
})
