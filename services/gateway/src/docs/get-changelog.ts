import { clientEvents, contracts, limits } from '@parley/contracts'
import { changelog } from '@parley/contracts/changelog'
import { getChangelog as contract } from '@parley/contracts/gateway/docs'
import { ownEndpoint } from '../own-endpoint.ts'

export const getChangelog = ownEndpoint(contract, async () => ({
  reply: {
    feature_level: limits.featureLevel,
    levels: changelog(Object.values(contracts), Object.values(clientEvents)).map((level) => ({
      ...level,
      changes: [...level.changes],
    })),
  },
}))
