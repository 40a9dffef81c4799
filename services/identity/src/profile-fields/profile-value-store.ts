import type { ProfileData } from '@parley/contracts/objects/user'
import type { z } from 'zod'
import type { Queries } from '../room.ts'

export interface ProfileValueRow {
  readonly field_id: number
  readonly value: string
  /** HTML; null for the kinds that are no Markdown. */
  readonly rendered_value: string | null
}

export type ProfileDataOfUsers = ReadonlyMap<number, z.infer<typeof ProfileData>>

/** What accounts said of themselves, by account ID: of all of an organization, or of those named. */
export const profileDataOf = async (
  sql: Queries,
  realmId: number,
  userIds?: readonly number[],
): Promise<ProfileDataOfUsers> => {
  const rows = await sql<{ user_id: number; data: z.infer<typeof ProfileData> }[]>`
    SELECT user_id, jsonb_object_agg(field_id, CASE WHEN rendered_value IS NULL
        THEN jsonb_build_object('value', value)
        ELSE jsonb_build_object('value', value, 'rendered_value', rendered_value) END) AS data
    FROM profile_values JOIN profile_fields ON profile_fields.id = field_id
    WHERE profile_fields.realm_id = ${realmId}
      ${userIds === undefined ? sql`` : sql`AND user_id = ANY (${[...userIds]}::bigint[])`}
    GROUP BY user_id`
  return new Map(rows.map(({ user_id, data }) => [user_id, data]))
}

/** @returns the values that are different now. */
export const storeProfileValues = async (
  sql: Queries,
  userId: number,
  values: readonly ProfileValueRow[],
): Promise<ProfileValueRow[]> => {
  if (values.length === 0) return []
  return sql<ProfileValueRow[]>`
    INSERT INTO profile_values AS stored (user_id, field_id, value, rendered_value)
    SELECT ${userId}, field_id, value, rendered_value
    FROM jsonb_to_recordset(${JSON.stringify(values)}::text::jsonb)
      AS sent (field_id bigint, value text, rendered_value text)
    ON CONFLICT (user_id, field_id) DO UPDATE
      SET value = excluded.value, rendered_value = excluded.rendered_value
      WHERE stored.value <> excluded.value
    RETURNING field_id, value, rendered_value`
}

/** @returns the IDs of the fields where something had been said. */
export const removeProfileValues = async (
  sql: Queries,
  userId: number,
  fieldIds: readonly number[],
): Promise<number[]> => {
  const rows = await sql<{ field_id: number }[]>`
    DELETE FROM profile_values WHERE user_id = ${userId} AND field_id = ANY (${[...fieldIds]}::bigint[])
    RETURNING field_id`
  return rows.map(({ field_id }) => field_id)
}

/** Takes back what people said there, where it is none of `options`. @returns whose it was. */
export const removeOtherChoices = async (
  sql: Queries,
  fieldId: number,
  options: readonly string[],
): Promise<number[]> => {
  const rows = await sql<{ user_id: number }[]>`
    DELETE FROM profile_values WHERE field_id = ${fieldId} AND value <> ALL (${[...options]}::text[])
    RETURNING user_id`
  return rows.map(({ user_id }) => user_id)
}

/** Takes back everything that is said of an account. @returns the IDs of the fields where something was. */
export const removeProfile = async (sql: Queries, userId: number): Promise<number[]> => {
  const rows = await sql<{ field_id: number }[]>`
    DELETE FROM profile_values WHERE user_id = ${userId} RETURNING field_id`
  return rows.map(({ field_id }) => field_id)
}
