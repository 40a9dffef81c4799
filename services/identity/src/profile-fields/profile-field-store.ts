import type { ProfileField, ProfileFieldType } from '@parley/contracts/objects/profile-field'
import type { Queries } from '../room.ts'

export interface ProfileFieldRow {
  readonly id: number
  readonly type: ProfileFieldType
  readonly order: number
  readonly name: string
  readonly hint: string
  readonly field_data: string
  readonly display_in_profile_summary: boolean
  readonly required: boolean
  readonly editable_by_user: boolean
  readonly use_for_user_matching: boolean
}

export type ProfileFieldProperties = Omit<ProfileFieldRow, 'id' | 'order' | 'type'>

/** All fields of an organization, in order. */
export const profileFieldsOf = (sql: Queries, realmId: number): Promise<ProfileFieldRow[]> =>
  sql<ProfileFieldRow[]>`
    SELECT id, type, "order", name, hint, field_data, display_in_profile_summary, required, editable_by_user,
      use_for_user_matching
    FROM profile_fields WHERE realm_id = ${realmId} ORDER BY "order", id`

/** As clients read it. */
export const profileFieldObject = ({
  display_in_profile_summary,
  ...field
}: ProfileFieldRow): ProfileField => ({
  ...field,
  ...(display_in_profile_summary ? { display_in_profile_summary } : {}),
})

export const insertProfileField = async (
  sql: Queries,
  realmId: number,
  field: Omit<ProfileFieldRow, 'id'>,
): Promise<number> => {
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO profile_fields ${sql({ ...field, realm_id: realmId })} RETURNING id`
  return made!.id
}

export const changeProfileField = async (
  sql: Queries,
  id: number,
  properties: ProfileFieldProperties,
): Promise<void> => {
  await sql`UPDATE profile_fields SET ${sql({ ...properties })} WHERE id = ${id}`
}

/** Removes a field with all that was said there. */
export const deleteProfileField = async (sql: Queries, id: number): Promise<void> => {
  await sql`DELETE FROM profile_fields WHERE id = ${id}`
}

/** `ids` in their new order. */
export const orderProfileFields = async (sql: Queries, ids: readonly number[]): Promise<void> => {
  await sql`
    UPDATE profile_fields SET "order" = wanted.place
    FROM unnest(${[...ids]}::bigint[]) WITH ORDINALITY AS wanted (id, place) WHERE profile_fields.id = wanted.id`
}
