import { getGenerate204 as contract } from '@parley/contracts/gateway/probes'
import { OwnStreamedReply, ownEndpoint } from '../own-endpoint.ts'

export const getGenerate204 = ownEndpoint(contract, async () => ({
  reply: new OwnStreamedReply(204, 'text/plain', ''),
}))
