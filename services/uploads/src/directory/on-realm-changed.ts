import { type Bus, consumeEverywhere } from '@parley/bus'
import { realmsTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { RealmDirectory } from './realm-directory.ts'

/** Follows the organizations into the memory of every process. */
export const onRealmChanged = ({ bus, realms }: { bus: Bus; realms: RealmDirectory }): Promise<Running> =>
  consumeEverywhere({
    bus,
    name: 'uploads.realms',
    topic: realmsTopic,
    from: 'now',
    handle: (_key, value) => {
      if (value !== null) realms.learn(value)
    },
  })
