import type { KnownCaller } from '@parley/contracts'
import { realmLinkifiers } from '@parley/contracts/identity/events'
import type { Linkifier } from '@parley/contracts/objects/linkifier'
import type { Tx } from '@parley/kit'
import { lockGroups } from '../groups/group-store.ts'
import { publishRealm } from '../realms/realm-announcements.ts'
import { changeRealm } from '../realms/realm-store.ts'
import { actingUser } from '../users/acting-user.ts'
import { linkifiersOf } from './linkifier-store.ts'

/**
 * Changes the linkifiers of the caller's organization and tells everyone, and other services, how they are now.
 *
 * @throws ApiError UNAUTHORIZED_PRINCIPAL, and whatever `change` throws
 */
export const changeLinkifiers = async <T>(
  tx: Tx<typeof realmLinkifiers>,
  caller: KnownCaller,
  change: (before: readonly Linkifier[]) => Promise<T>,
): Promise<T> => {
  const { sql } = tx
  const realmId = caller.realm.id
  await lockGroups(sql, realmId)
  await actingUser(sql, caller, 'administrator')
  const result = await change(await linkifiersOf(sql, realmId))
  publishRealm(tx, await changeRealm(sql, realmId, { settings: {} }))
  const audience = { realm: realmId, everyone: true } as const
  tx.emit(realmLinkifiers, audience, { realm_linkifiers: await linkifiersOf(sql, realmId) })
  return result
}
