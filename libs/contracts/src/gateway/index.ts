import { serviceContract } from '../contract.ts'
import { realmsTopic, usersTopic } from '../identity/topics.ts'
import * as docs from './docs.ts'
import * as probes from './probes.ts'
import * as sessions from './sessions.ts'

export const gateway = serviceContract('gateway', {
  endpoints: { ...docs, ...probes, ...sessions },
  internals: {},
  sections: {},
  follows: [usersTopic, realmsTopic],
})
