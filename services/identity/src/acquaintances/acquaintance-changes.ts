import { roles } from '@parley/contracts'
import { companyOf } from '@parley/contracts/channels/internals'
import { realmUserAdd, realmUserRemove } from '@parley/contracts/identity/events'
import { unknownUserName } from '@parley/contracts/objects/unknown-user'
import type { Ask, Tx } from '@parley/kit'
import { portions } from '@parley/kit/portions'
import { profileDataOf } from '../profile-fields/profile-value-store.ts'
import { seesEmail } from '../users/email-visibility.ts'
import { userObject } from '../users/user-presentation.ts'
import { type UserRow, usersOfRealm } from '../users/user-store.ts'
import {
  areGuestsLimited,
  type Concerned,
  forgetAcquaintances,
  guestIdsOf,
  storeCompany,
  strangersOf,
} from './acquaintance-store.ts'

export type AcquaintanceEvents = typeof realmUserAdd | typeof realmUserRemove

/** Accounts that channels is asked about at once. */
const askedAtOnce = 1000

/** Tells guests of accounts that they may know now: as guests see them. */
const introduce = async (
  tx: Tx<AcquaintanceEvents>,
  realmId: number,
  concerned: readonly Concerned[],
): Promise<void> => {
  if (concerned.length === 0) return
  const ids = concerned.map(({ user_id }) => user_id)
  const users = new Map((await usersOfRealm(tx.sql, realmId, ids)).map((user) => [user.id, user]))
  const profiles = await profileDataOf(tx.sql, realmId, ids)
  for (const { user_id, guest_ids } of concerned) {
    const user = users.get(user_id)!
    const showsEmail = seesEmail({ id: 0, role: roles.guest }, user)
    const profile = profiles.get(user_id) ?? {}
    const wishes = { client_gravatar: false, include_custom_profile_fields: true, profile }
    const person = userObject(user, showsEmail, wishes)
    tx.emit(realmUserAdd, { realm: realmId, users: guest_ids }, { person })
  }
}

/** Tells guests of accounts that they may not know any more. */
const part = (tx: Tx<AcquaintanceEvents>, realmId: number, concerned: readonly Concerned[]): void => {
  for (const { user_id, guest_ids } of concerned) {
    const person = { user_id, full_name: unknownUserName }
    tx.emit(realmUserRemove, { realm: realmId, users: guest_ids }, { person })
  }
}

const learnCompany = async (
  tx: Tx<AcquaintanceEvents>,
  ask: Ask,
  realmId: number,
  userIds: readonly number[],
): Promise<{ readonly come: readonly Concerned[]; readonly gone: readonly Concerned[] }> => {
  const come: Concerned[] = []
  const gone: Concerned[] = []
  for (const user_ids of portions(userIds, askedAtOnce)) {
    const { company } = await ask(companyOf, { realm_id: realmId, user_ids })
    const pairs = company.flatMap(({ user_id, known_ids }) =>
      known_ids.map((known_id) => ({ user_id, known_id })),
    )
    for (const { is_gone, ...change } of await storeCompany(tx.sql, realmId, user_ids, pairs)) {
      ;(is_gone ? gone : come).push(change)
    }
  }
  return { come, gone }
}

/**
 * Follows with whom accounts share something (null: all guests), as channels says it now, and tells the guests whom it
 * concerns. To be called under `lockAccounts`.
 */
export const refreshAcquaintances = async (
  tx: Tx<AcquaintanceEvents>,
  ask: Ask,
  realmId: number,
  userIds: readonly number[] | null,
): Promise<void> => {
  if (!(await areGuestsLimited(tx.sql, realmId))) return
  const concerned = userIds ?? (await guestIdsOf(tx.sql, realmId))
  const { come, gone } = await learnCompany(tx, ask, realmId, concerned)
  part(tx, realmId, gone)
  await introduce(tx, realmId, come)
}

/**
 * The organization's guests may know everybody, or only their company, from now on; the setting is stored already. To be
 * called under `lockAccounts`.
 */
export const followGuestLimit = async (
  tx: Tx<AcquaintanceEvents>,
  ask: Ask,
  realmId: number,
): Promise<void> => {
  const guests = await guestIdsOf(tx.sql, realmId)
  await changeLimit(tx, ask, realmId, guests, await areGuestsLimited(tx.sql, realmId))
}

/** The same for one account that became a guest, or is none any more. */
export const followGuestRole = async (
  tx: Tx<AcquaintanceEvents>,
  ask: Ask,
  before: UserRow,
  after: UserRow,
): Promise<void> => {
  const isGuest = after.role === roles.guest
  if ((before.role === roles.guest) === isGuest) return
  if (!(await areGuestsLimited(tx.sql, after.realm_id))) return
  await changeLimit(tx, ask, after.realm_id, [after.id], isGuest)
}

const changeLimit = async (
  tx: Tx<AcquaintanceEvents>,
  ask: Ask,
  realmId: number,
  guests: readonly number[],
  isLimited: boolean,
): Promise<void> => {
  if (isLimited) {
    await learnCompany(tx, ask, realmId, guests)
    part(tx, realmId, await strangersOf(tx.sql, realmId, guests))
    return
  }
  const strangers = await strangersOf(tx.sql, realmId, guests)
  await forgetAcquaintances(tx.sql, guests)
  await introduce(tx, realmId, strangers)
}
