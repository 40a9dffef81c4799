import { getCompatibility as contract } from '@parley/contracts/gateway/probes'
import { ownEndpoint } from '../own-endpoint.ts'

export const getCompatibility = ownEndpoint(contract, async ({ visit, refuse }) => {
  if (visit.exchange.request.headers['user-agent'] === undefined) {
    throw refuse('BAD_REQUEST', 'User-Agent header missing from request')
  }
  return { reply: {} }
})
