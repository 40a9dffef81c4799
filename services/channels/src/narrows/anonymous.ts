/** Whoever asks without an account; no I/O. */

import type { Narrow } from '@parley/contracts/channels/narrow'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'

/** No account has this ID; it reads what guests who are in no channel read: web-public channels. */
export const anybody: Actor = { id: 0, role: 600, groups: new Set() }

/** Whether the organization shows its web-public channels to everybody. */
export const showsToAnybody = (realm: Realm): boolean => realmSetting(realm, 'enable_spectator_access')

/** Without an account only web-public channels can be asked for, and the request has to say so. */
export const asksForWebPublic = (narrow: Narrow): boolean =>
  narrow.some(
    ({ operator, operand, negated }) =>
      ['channels', 'streams'].includes(operator) && operand === 'web-public' && negated !== true,
  )
