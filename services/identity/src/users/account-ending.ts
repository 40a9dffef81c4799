import { realmUserUpdate } from '@parley/contracts/identity/events'
import { type DepartureFact, departuresTopic } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { audienceOf } from '../acquaintances/user-audience.ts'
import { forgetDevices } from '../devices/device-store.ts'
import type { ActivationEvents } from '../groups/activation-announcements.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import { removeProfile } from '../profile-fields/profile-value-store.ts'
import { publishAccount } from './account-facts.ts'
import { dummyEmail, emailVisibility } from './email-visibility.ts'
import { announceActivation, announceUserForms } from './user-announcements.ts'
import { activeBotsOf, setActive, type UserRow, updateUser } from './user-store.ts'

/** Ends an account, and the bots that it owns. To be called under `lockAccounts`. */
export const endAccount = async (tx: Tx<ActivationEvents>, user: UserRow): Promise<void> => {
  for (const id of [...(await activeBotsOf(tx.sql, user.id)), user.id]) {
    const ended = await setActive(tx.sql, user.realm_id, id, false)
    if (ended !== undefined) await announceActivation(tx, ended)
  }
}

interface EndingWishes {
  readonly delete_public_channel_messages: boolean
  readonly delete_private_channel_messages: boolean
  readonly delete_direct_messages: boolean
}

/** Tells other services what is wanted besides, if anything is: a mail to the account's owner, messages to be deleted. */
export const publishDeparture = (
  tx: Tx<typeof realmUserUpdate>,
  { id, realm_id, delivery_email }: UserRow,
  comment: string | undefined,
  wishes: EndingWishes | undefined,
): void => {
  const deletes_messages: DepartureFact['deletes_messages'] = []
  if (wishes?.delete_public_channel_messages) deletes_messages.push('public_channels')
  if (wishes?.delete_private_channel_messages) deletes_messages.push('private_channels')
  if (wishes?.delete_direct_messages) deletes_messages.push('direct')
  if (comment === undefined && deletes_messages.length === 0) return
  tx.publish(departuresTopic, realm_id, {
    realm_id,
    user_id: id,
    email: delivery_email,
    comment: comment ?? null,
    deletes_messages,
  })
}

/**
 * Removes what an ended account holds of a person: name, addresses, picture, password, key. Messages keep their sender,
 * who has no name any more.
 */
export const deleteProfile = async (
  tx: Tx<typeof realmUserUpdate>,
  keys: ApiKeys,
  user: UserRow,
  realmHost: string,
): Promise<void> => {
  const address = dummyEmail(user.id, realmHost)
  const key = keys.generate()
  const gone = await updateUser(tx.sql, user.realm_id, user.id, {
    is_deleted: true,
    full_name: `Deleted user ${user.id}`,
    email: address,
    delivery_email: address,
    email_address_visibility: emailVisibility.nobody,
    timezone: '',
    avatar_source: 'G',
    avatar_version: user.avatar_version + 1,
    password_hash: null,
    password_reset_required: false,
    api_key_hash: keys.hash(key),
    api_key_encrypted: keys.encrypt(key),
    key_version: user.key_version + 1,
  })
  await publishAccount(tx, gone)
  await announceUserForms(tx, user, gone)
  await forgetDevices(tx.sql, user.id)
  for (const id of await removeProfile(tx.sql, user.id)) {
    const person = { user_id: user.id, custom_profile_field: { id, value: null } }
    tx.emit(realmUserUpdate, await audienceOf(tx.sql, gone), { person })
  }
}
