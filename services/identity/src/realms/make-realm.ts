import { type AnyEvent, refuse } from '@parley/contracts'
import type { Tx } from '@parley/kit'
import { publishGroup } from '../groups/group-announcements.ts'
import { insertSystemGroups } from '../groups/system-groups.ts'
import type { Queries } from '../room.ts'
import { publishRealm } from './realm-announcements.ts'
import { isSubdomain, realmNameFinding } from './realm-rules.ts'
import { insertRealm, type RealmRow, realmById, realmBySubdomain } from './realm-store.ts'

/** Where an organization shall be, and what it shall be called; as stored. */
export interface RealmWish {
  readonly subdomain: string
  readonly name: string
}

const taken = (subdomain: string) =>
  refuse('BAD_REQUEST', `There is already an organization at subdomain '${subdomain}'.`)

/** @throws ApiError BAD_REQUEST for what no organization can have. */
export const demandRealmWish = (sent: RealmWish): RealmWish => {
  const subdomain = sent.subdomain.trim().toLowerCase()
  const name = sent.name.trim()
  if (!isSubdomain(subdomain)) throw refuse('BAD_REQUEST', `'${subdomain}' cannot be a subdomain.`)
  const finding = realmNameFinding(name)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  return { subdomain, name }
}

/** @throws ApiError BAD_REQUEST when there is an organization already. */
export const demandFreeSubdomain = async (sql: Queries, subdomain: string): Promise<void> => {
  if ((await realmBySubdomain(sql, subdomain)) !== undefined) throw taken(subdomain)
}

/**
 * Makes an organization with its system groups, and tells of both.
 *
 * @throws ApiError BAD_REQUEST for a subdomain that is taken.
 */
export const makeRealm = async <Events extends AnyEvent>(
  tx: Tx<Events>,
  wish: RealmWish,
): Promise<RealmRow> => {
  const id = await insertRealm(tx.sql, wish)
  if (id === undefined) throw taken(wish.subdomain)
  await insertSystemGroups(tx.sql, id)
  const realm = (await realmById(tx.sql, id))!
  publishRealm(tx, realm)
  for (const group of Object.values(realm.system_groups)) {
    await publishGroup(tx, id, group, realm.system_groups)
  }
  return realm
}
