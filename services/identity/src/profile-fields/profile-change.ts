import { refuse } from '@parley/contracts'
import { realmUserUpdate } from '@parley/contracts/identity/events'
import type { ProfileValue } from '@parley/contracts/objects/profile-field'
import type { Tx } from '@parley/kit'
import { audienceOf } from '../acquaintances/user-audience.ts'
import { renderNameless } from '../nameless-markdown.ts'
import { type UserRow, usersOfRealm } from '../users/user-store.ts'
import { profileFieldsOf } from './profile-field-store.ts'
import { isMarkdown, profileValueFinding } from './profile-value-rules.ts'
import { type ProfileValueRow, removeProfileValues, storeProfileValues } from './profile-value-store.ts'

interface ProfileChange {
  readonly user: UserRow
  readonly data: readonly ProfileValue[]
  /** Whose hand it is: people leave alone what only administrators may write. */
  readonly by: 'self' | 'administrator'
  readonly realmUrl: string
}

/**
 * Changes what is said of a person, all of it or nothing, and tells who can see the account. To be called under
 * `lockAccounts`: also for the fields to stay as they are.
 *
 * @throws ApiError BAD_REQUEST
 */
export const changeProfile = async (
  tx: Tx<typeof realmUserUpdate>,
  { user, data, by, realmUrl }: ProfileChange,
): Promise<void> => {
  if (data.length === 0) return
  const { sql } = tx
  const fields = new Map((await profileFieldsOf(sql, user.realm_id)).map((field) => [field.id, field]))
  const stored = new Map<number, ProfileValueRow>()
  const removed = new Set<number>()
  const named = new Set<number>()
  for (const { id, value } of data) {
    const field = fields.get(id)
    if (field === undefined) throw refuse('BAD_REQUEST', `Field id ${id} not found.`)
    if (by === 'self' && !field.editable_by_user) {
      throw refuse(
        'BAD_REQUEST',
        'You are not allowed to change this field. Contact an administrator to update it.',
      )
    }
    stored.delete(id)
    removed.delete(id)
    if (value === null || value.length === 0) {
      removed.add(id)
      continue
    }
    const finding = profileValueFinding(field, value)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    if (typeof value !== 'string') for (const person of value) named.add(person)
    stored.set(id, {
      field_id: id,
      value: typeof value === 'string' ? value : JSON.stringify(value),
      rendered_value:
        typeof value === 'string' && isMarkdown(field.type) ? renderNameless(value, realmUrl) : null,
    })
  }
  await demandPeople(tx, user.realm_id, [...named])

  const audience = await audienceOf(sql, user)
  const tell = (id: number, value: string | null, html: string | null): void =>
    tx.emit(realmUserUpdate, audience, {
      person: {
        user_id: user.id,
        custom_profile_field: { id, value, ...(html === null ? {} : { rendered_value: html }) },
      },
    })
  for (const row of await storeProfileValues(sql, user.id, [...stored.values()])) {
    tell(row.field_id, row.value, row.rendered_value)
  }
  for (const id of await removeProfileValues(sql, user.id, [...removed])) tell(id, null, null)
}

const demandPeople = async (
  { sql }: Tx<typeof realmUserUpdate>,
  realmId: number,
  ids: readonly number[],
): Promise<void> => {
  if (ids.length === 0) return
  const found = new Map((await usersOfRealm(sql, realmId, ids)).map((user) => [user.id, user]))
  for (const id of ids) {
    const user = found.get(id)
    if (user === undefined) throw refuse('BAD_REQUEST', `Invalid user ID: ${id}`)
    if (!user.is_active) throw refuse('BAD_REQUEST', `User with ID ${id} is deactivated`)
    if (user.bot_type !== null) throw refuse('BAD_REQUEST', `User with ID ${id} is a bot`)
  }
}

/** The same for an administrator's hand. @throws ApiError BAD_REQUEST */
export const changeProfileOf = async (
  tx: Tx<typeof realmUserUpdate>,
  user: UserRow,
  data: readonly ProfileValue[],
  realmUrl: string,
): Promise<void> => {
  if (user.bot_type !== null && data.length > 0) throw refuse('BAD_REQUEST', 'Bots have no profile.')
  await changeProfile(tx, { user, data, by: 'administrator', realmUrl })
}
