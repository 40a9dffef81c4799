import { inTransaction } from '@parley/kit'
import { publishGroup } from '../groups/group-announcements.ts'
import { publishPersonal } from '../personal/personal-facts.ts'
import { publishRealm } from '../realms/realm-announcements.ts'
import { realmById } from '../realms/realm-store.ts'
import type { Deps } from '../room.ts'
import { publishAccount } from '../users/account-facts.ts'
import { usersOfRealm } from '../users/user-store.ts'
import { type ClaimedImport, storeStep } from './import-store.ts'

/** Accounts that one transaction announces. */
const portion = 200

/**
 * Tells the other services of the accounts, then of the groups and the organization, which is open from then on. Facts are
 * states: telling them twice changes nothing.
 */
export const announceArrivals = async (
  { database }: Pick<Deps, 'database'>,
  claimed: ClaimedImport,
): Promise<void> => {
  const { realm_id } = claimed
  for (let last = claimed.position; ; ) {
    const rows = await database.sql<{ id: number }[]>`
      SELECT id FROM users WHERE realm_id = ${realm_id} AND id > ${last} ORDER BY id LIMIT ${portion}`
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => id)
    last = ids.at(-1)!
    await inTransaction(database, async (tx) => {
      for (const user of await usersOfRealm(tx.sql, realm_id, ids)) await publishAccount(tx, user)
      await publishPersonal(tx, realm_id, ids)
      await storeStep(tx.sql, claimed, { stage: 'announcing', position: last })
    })
  }
  await inTransaction(database, async (tx) => {
    const { sql } = tx
    await sql`
      UPDATE realms SET is_active = true, deactivated_at = NULL, version = version + 1 WHERE id = ${realm_id}`
    const realm = (await realmById(sql, realm_id))!
    const groups = await sql<{ id: number }[]>`
      SELECT id FROM user_groups WHERE realm_id = ${realm_id} ORDER BY id`
    for (const { id } of groups) await publishGroup(tx, realm_id, id, realm.system_groups)
    publishRealm(tx, realm)
    await storeStep(sql, claimed, { stage: 'done', position: claimed.total })
  })
}
