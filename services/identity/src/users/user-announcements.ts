import { type Audience, type EventData, roles } from '@parley/contracts'
import {
  realmBotAdd,
  realmBotDelete,
  type realmExportConsent,
  realmUserAdd,
  type realmUserRemove,
  realmUserUpdate,
  userGroupAddMembers,
  type userGroupRemoveMembers,
} from '@parley/contracts/identity/events'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import { unknownUser } from '@parley/contracts/objects/unknown-user'
import type { Tx } from '@parley/kit'
import { guestIdsOf, mayKnow } from '../acquaintances/acquaintance-store.ts'
import { audienceOf } from '../acquaintances/user-audience.ts'
import { botObject } from '../bots/bot-presentation.ts'
import { botsOfOthers } from '../bots/bot-store.ts'
import { announceConsents } from '../exports/consent-announcements.ts'
import { consentOf } from '../exports/consent-store.ts'
import { type ActivationEvents, announceGroupsOf } from '../groups/activation-announcements.ts'
import { announceMoved, systemGroupFor } from '../groups/group-membership.ts'
import type { Queries } from '../room.ts'
import { publishAccount } from './account-facts.ts'
import { dummyEmail, isEmailPublic, seesEmail, type Viewer } from './email-visibility.ts'
import { userObject } from './user-presentation.ts'
import { type UserRow, usersWithHiddenEmail } from './user-store.ts'

export type UserEvents =
  | typeof realmUserAdd
  | typeof realmUserUpdate
  | typeof realmExportConsent
  | typeof userGroupAddMembers

/** Everybody who may know an account. */
const viewersOf = (sql: Queries, { id, realm_id }: UserRow): Promise<Viewer[]> =>
  sql<Viewer[]>`
    SELECT id, role FROM users
    WHERE realm_id = ${realm_id} AND (NOT limits_guests(${realm_id}) OR ${mayKnow(sql, id)}) ORDER BY id`

/** Guests who may know nobody new are told that there is somebody; who understands that not, is told nothing. */
const announceStranger = async (tx: Tx<UserEvents>, user: UserRow, realmHost: string): Promise<void> => {
  const guests = (await guestIdsOf(tx.sql, user.realm_id)).filter((id) => id !== user.id)
  if (guests.length === 0) return
  const person = unknownUser(user.id, dummyEmail(user.id, realmHost))
  tx.emit(realmUserAdd, { realm: user.realm_id, users: guests }, { person })
}

/** Events carry the address; clients that make it themselves take it as well. */
const wishes = { client_gravatar: false, include_custom_profile_fields: true }

/**
 * Tells clients and services of a new account. Where its e-mail is hidden from some, they are told without it, by an
 * event of their own; that takes the lock of `lockAccounts`, so that nobody changes sides meanwhile.
 */
export const announceNewUser = async (
  tx: Tx<UserEvents>,
  user: UserRow,
  realmHost: string,
): Promise<void> => {
  await publishAccount(tx, user)
  const realm = user.realm_id
  const audience = await audienceOf(tx.sql, user)
  if (audience.everyone === undefined) await announceStranger(tx, user, realmHost)
  if (isEmailPublic(user)) {
    tx.emit(realmUserAdd, audience, { person: userObject(user, true, wishes) })
  } else {
    const sides = Map.groupBy(await viewersOf(tx.sql, user), (viewer) => seesEmail(viewer, user))
    for (const [showsEmail, viewers] of sides) {
      const users = viewers.map(({ id }) => id)
      tx.emit(realmUserAdd, { realm, users }, { person: userObject(user, showsEmail, wishes) })
    }
  }
  const group_id = await systemGroupFor(tx.sql, user.id, user.role)
  tx.emit(userGroupAddMembers, { realm, everyone: true }, { group_id, user_ids: [user.id] })
  // The account itself does not say so.
  if (user.bot_type === null) await announceConsents(tx, realm, [{ user_id: user.id, consented: false }])
}

/** Tells clients and services that an account was ended, or came back, and what that makes of groups and settings. */
export const announceActivation = async (
  tx: Tx<ActivationEvents | typeof realmExportConsent>,
  user: UserRow,
): Promise<void> => {
  await publishAccount(tx, user)
  if (user.is_active && user.bot_type === null) {
    await announceConsents(tx, user.realm_id, [await consentOf(tx.sql, user.id)])
  }
  tx.emit(realmUserUpdate, await audienceOf(tx.sql, user), {
    person: { user_id: user.id, is_active: user.is_active },
  })
  await announceGroupsOf(tx, user)
}

type Update = Tx<typeof realmUserUpdate>

/**
 * Tells everyone what changed of an account: one event per form, the address only to those who see it. To be called
 * under `lockAccounts` where an address, or who may see it, changes.
 */
export const announceUserForms = async (tx: Update, before: UserRow, user: UserRow): Promise<void> => {
  const audience = await audienceOf(tx.sql, user)
  const user_id = user.id
  const tell = (person: EventData<typeof realmUserUpdate>['person']): void =>
    tx.emit(realmUserUpdate, audience, { person })
  if (before.full_name !== user.full_name) tell({ user_id, full_name: user.full_name })
  if (before.timezone !== user.timezone) tell({ user_id, email: user.email, timezone: user.timezone })
  if (before.email !== user.email) tell({ user_id, new_email: user.email })
  if (user.bot_owner_id !== null && before.bot_owner_id !== user.bot_owner_id) {
    tell({ user_id, bot_owner_id: user.bot_owner_id })
  }
  await announceAddress(tx, before, user, audience)
  if (before.avatar_version !== user.avatar_version || before.email !== user.email) {
    tell({
      user_id,
      avatar_url: avatarUrl(user),
      avatar_url_medium: avatarUrl(user, 'medium'),
      avatar_source: user.avatar_source,
      avatar_version: user.avatar_version,
    })
  }
}

/** Whoever sees another address than before, or one where there was none, or none where there was one, is told. */
const announceAddress = async (
  tx: Update,
  before: UserRow,
  user: UserRow,
  everyone: Audience,
): Promise<void> => {
  const isSame = before.delivery_email === user.delivery_email
  if (isSame && before.email_address_visibility === user.email_address_visibility) return
  const realm = user.realm_id
  const tell = (users: number[] | undefined, delivery_email: string | null): void => {
    const audience = users === undefined ? everyone : { realm, users }
    tx.emit(realmUserUpdate, audience, { person: { user_id: user.id, delivery_email } })
  }
  if (isEmailPublic(before) && isEmailPublic(user)) return tell(undefined, user.delivery_email)
  const addressFor = (viewer: Viewer, owner: UserRow): string | null =>
    seesEmail(viewer, owner) ? owner.delivery_email : null
  const concerned = (await viewersOf(tx.sql, user)).filter(
    (viewer) => addressFor(viewer, before) !== addressFor(viewer, user),
  )
  for (const [address, viewers] of Map.groupBy(concerned, (viewer) => addressFor(viewer, user))) {
    tell(
      viewers.map(({ id }) => id),
      address,
    )
  }
}

export type RoleEvents =
  | typeof realmUserUpdate
  | typeof realmUserAdd
  | typeof realmUserRemove
  | typeof realmBotAdd
  | typeof realmBotDelete
  | typeof userGroupAddMembers
  | typeof userGroupRemoveMembers

/**
 * Tells everyone of an account's new role, and the account itself of what it sees now, or does not see any more: hidden
 * addresses, and bots. To be called under `lockAccounts`.
 */
export const announceRole = async (tx: Tx<RoleEvents>, before: UserRow, user: UserRow): Promise<void> => {
  if (before.role === user.role) return
  const realm = user.realm_id
  const person = { user_id: user.id, role: user.role }
  tx.emit(realmUserUpdate, await audienceOf(tx.sql, user), { person })
  const left = await systemGroupFor(tx.sql, user.id, before.role)
  const entered = await systemGroupFor(tx.sql, user.id, user.role)
  // Groups hold active accounts only, as far as clients are told.
  if (!user.is_active) return
  announceMoved(tx, realm, [user.id], { left, entered })

  const self = { realm, users: [user.id] }
  for (const owner of await usersWithHiddenEmail(tx.sql, realm)) {
    const [saw, sees] = [seesEmail(before, owner), seesEmail(user, owner)]
    if (saw === sees) continue
    const delivery_email = sees ? owner.delivery_email : null
    tx.emit(realmUserUpdate, self, { person: { user_id: owner.id, delivery_email } })
  }

  const [sawBots, seesBots] = [before.role, user.role].map((role) => role <= roles.administrator)
  if (sawBots === seesBots) return
  for (const bot of await botsOfOthers(tx.sql, realm, user.id)) {
    if (seesBots) tx.emit(realmBotAdd, self, { bot: botObject(bot) })
    else tx.emit(realmBotDelete, self, { bot: { user_id: bot.user_id } })
  }
}
