import { realmUserAdd, realmUserUpdate } from '@parley/contracts/identity/events'
import { type UserFact, usersTopic } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import type { Queries } from '../room.ts'
import { isEmailPublic, seesEmail, type Viewer } from './email-visibility.ts'
import { userObject } from './user-presentation.ts'
import type { UserRow } from './user-store.ts'

export type UserEvents = typeof realmUserAdd | typeof realmUserUpdate

/** What other services keep of an account. */
export const userFact = (user: UserRow): UserFact => ({
  id: user.id,
  realm_id: user.realm_id,
  email: user.email,
  delivery_email: user.delivery_email,
  full_name: user.full_name,
  role: user.role,
  is_active: user.is_active,
  bot_type: user.bot_type,
  bot_owner_id: user.bot_owner_id,
  avatar_source: user.avatar_source,
  avatar_version: user.avatar_version,
  version: user.version,
})

/** Tells other services how an account is now. To be called in every transaction that changes one. */
const publishUser = (tx: Tx<UserEvents>, user: UserRow): void =>
  tx.publish(usersTopic, user.id, userFact(user))

const viewersOf = (sql: Queries, realmId: number): Promise<Viewer[]> =>
  sql<Viewer[]>`SELECT id, role FROM users WHERE realm_id = ${realmId}`

/** Events carry the address; clients that make it themselves take it as well. */
const wishes = { client_gravatar: false }

/**
 * Tells clients and services of a new account. Where its e-mail is hidden from some, they are told without it, by an
 * event of their own; that takes the lock of `lockAccounts`, so that nobody changes sides meanwhile.
 */
export const announceNewUser = async (tx: Tx<UserEvents>, user: UserRow): Promise<void> => {
  publishUser(tx, user)
  const realm = user.realm_id
  if (isEmailPublic(user)) {
    tx.emit(realmUserAdd, { realm, everyone: true }, { person: userObject(user, true, wishes) })
    return
  }
  const sides = Map.groupBy(await viewersOf(tx.sql, realm), (viewer) => seesEmail(viewer, user))
  for (const [showsEmail, viewers] of sides) {
    const users = viewers.map(({ id }) => id)
    tx.emit(realmUserAdd, { realm, users }, { person: userObject(user, showsEmail, wishes) })
  }
}

/** Tells clients and services that an account was ended. */
export const announceDeactivated = (tx: Tx<UserEvents>, user: UserRow): void => {
  publishUser(tx, user)
  tx.emit(
    realmUserUpdate,
    { realm: user.realm_id, everyone: true },
    { person: { user_id: user.id, is_active: false } },
  )
}
