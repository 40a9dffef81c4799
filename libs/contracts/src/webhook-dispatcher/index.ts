import { serviceContract } from '../contract.ts'

export const webhookDispatcher = serviceContract('webhook-dispatcher', {
  endpoints: {},
  internals: {},
  sections: {},
})
