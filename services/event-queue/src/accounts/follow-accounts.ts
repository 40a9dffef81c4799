import { consumeEverywhere } from '@parley/bus'
import { realmsTopic, usersTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { Deps } from '../room.ts'
import { endingRealms } from './ending-realms.ts'

/** Ends the queues of accounts and organizations as soon as they are deactivated. */
export const followAccounts = async (deps: Deps): Promise<Running[]> => {
  const { bus, accounts, owners } = deps
  const endings = endingRealms(deps)
  const users = await consumeEverywhere({
    bus,
    name: 'event-queue',
    topic: usersTopic,
    from: 'beginning',
    handle: async (_key, fact) => {
      if (fact === null) return
      accounts.takeUser(fact)
      await owners.closeRefused({ user: fact.id })
    },
  })
  const realms = await consumeEverywhere({
    bus,
    name: 'event-queue',
    topic: realmsTopic,
    from: 'beginning',
    handle: async (_key, fact) => {
      if (fact === null) return
      accounts.takeRealm(fact)
      if (!fact.is_active) endings.begin(fact.id)
    },
  })
  return [users, realms, endings]
}
