import type { KnownCaller } from '@parley/contracts'
import { mutedUsers } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { publishPersonal } from './personal-facts.ts'
import { mutedBy, type PersonalRow, storePersonal } from './personal-store.ts'

/** Tells the caller and other services whom it mutes now. */
export const announceMutes = async (
  tx: Tx<typeof mutedUsers>,
  { realm, user }: KnownCaller,
  personal: PersonalRow,
): Promise<void> => {
  await storePersonal(tx.sql, [personal])
  await publishPersonal(tx, realm.id, [user.id])
  const muted_users = await mutedBy(tx.sql, user.id)
  tx.emit(mutedUsers, { realm: realm.id, users: [user.id] }, { muted_users })
}
