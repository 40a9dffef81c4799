import { realmUserAdd, realmUserUpdate } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import type { Queries } from '../room.ts'
import { publishAccount } from './account-facts.ts'
import { isEmailPublic, seesEmail, type Viewer } from './email-visibility.ts'
import { userObject } from './user-presentation.ts'
import type { UserRow } from './user-store.ts'

export type UserEvents = typeof realmUserAdd | typeof realmUserUpdate

const viewersOf = (sql: Queries, realmId: number): Promise<Viewer[]> =>
  sql<Viewer[]>`SELECT id, role FROM users WHERE realm_id = ${realmId}`

/** Events carry the address; clients that make it themselves take it as well. */
const wishes = { client_gravatar: false }

/**
 * Tells clients and services of a new account. Where its e-mail is hidden from some, they are told without it, by an
 * event of their own; that takes the lock of `lockAccounts`, so that nobody changes sides meanwhile.
 */
export const announceNewUser = async (tx: Tx<UserEvents>, user: UserRow): Promise<void> => {
  await publishAccount(tx, user)
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

/** Tells clients and services that an account was ended, or came back. */
export const announceActivation = async (tx: Tx<typeof realmUserUpdate>, user: UserRow): Promise<void> => {
  await publishAccount(tx, user)
  tx.emit(
    realmUserUpdate,
    { realm: user.realm_id, everyone: true },
    { person: { user_id: user.id, is_active: user.is_active } },
  )
}

/** Tells everyone what changed of an account: one event per form, of those that are the same for every viewer. */
export const announceUserForms = (tx: Tx<typeof realmUserUpdate>, before: UserRow, user: UserRow): void => {
  const audience = { realm: user.realm_id, everyone: true } as const
  const user_id = user.id
  if (before.full_name !== user.full_name) {
    tx.emit(realmUserUpdate, audience, { person: { user_id, full_name: user.full_name } })
  }
  if (before.email !== user.email) {
    tx.emit(realmUserUpdate, audience, { person: { user_id, new_email: user.email } })
  }
  if (user.bot_owner_id !== null && before.bot_owner_id !== user.bot_owner_id) {
    tx.emit(realmUserUpdate, audience, { person: { user_id, bot_owner_id: user.bot_owner_id } })
  }
  if (isEmailPublic(user) && isEmailPublic(before) && before.delivery_email !== user.delivery_email) {
    tx.emit(realmUserUpdate, audience, { person: { user_id, delivery_email: user.delivery_email } })
  }
}

/** Tells everyone of an account's new role. */
export const announceRole = async (
  tx: Tx<typeof realmUserUpdate>,
  before: UserRow,
  user: UserRow,
): Promise<void> => {
  if (before.role === user.role) return
  const audience = { realm: user.realm_id, everyone: true } as const
  tx.emit(realmUserUpdate, audience, { person: { user_id: user.id, role: user.role } })
}
