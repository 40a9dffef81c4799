import { randomBytes } from 'node:crypto'
import { realmPermissionNames } from '@parley/contracts/identity/permission-settings'
import { channelSettingNames } from '@parley/contracts/identity/realm-settings'
import { profileFieldTypes } from '@parley/contracts/objects/profile-field'
import type { Rewriting, Row, TakingIn } from '@parley/kit/holdings'
import { groupSettingOf, idOf, idsOf } from '@parley/kit/rewritings'
import type { Deps } from '../room.ts'
import { dummyEmail, isEmailPublic } from '../users/email-visibility.ts'

/** Settings of the organization that name groups, people or channels. */
export const realmSettingsOf: Rewriting = (value, context) => {
  const settings = { ...(value as Record<string, unknown>) }
  for (const name of realmPermissionNames) {
    if (name in settings) settings[name] = groupSettingOf(settings[name], context)
  }
  for (const name of channelSettingNames) {
    if (name in settings) settings[name] = idOf('channel')(settings[name], context) ?? -1
  }
  return settings
}

/** The organization is there, at its new place: it takes over how the archive's was. */
export const fillRealm = async (rows: Row[], { realmId }: TakingIn, { database }: Deps): Promise<Row[]> => {
  for (const row of rows) {
    await database.sql`
      UPDATE realms SET
        (name, description, rendered_description, created_at, settings, user_settings_defaults) = (
          SELECT name, description, rendered_description, created_at, settings, user_settings_defaults
          FROM jsonb_populate_record(NULL::realms, ${JSON.stringify(row)}::text::jsonb))
      WHERE id = ${realmId} AND NOT is_active`
  }
  return []
}

/** Accounts get keys of their own, and addresses of where they are now. Passwords do not travel. */
export const completeUsers = async (
  rows: Row[],
  { realmHost, asStubs, origin }: TakingIn,
  { keys }: Deps,
): Promise<Row[]> =>
  rows.map((row) => {
    const id = row.id as number
    const hidden = dummyEmail(id, realmHost)
    const oldHost = new URL(origin.url).hostname
    // Of somebody whose address the archive does not tell.
    const isVeiled =
      /^user\d+@/.test(row.delivery_email as string) && String(row.delivery_email).endsWith(`@${oldHost}`)
    const delivery_email = isVeiled ? hidden : row.delivery_email
    const key = keys.generate()
    const isPerson = row.bot_type === null
    return {
      ...row,
      delivery_email,
      email: isEmailPublic(row as never) ? delivery_email : hidden,
      api_key_hash: `\\x${keys.hash(key).toString('hex')}`,
      api_key_encrypted: `\\x${keys.encrypt(key).toString('hex')}`,
      ...(asStubs && isPerson ? { is_imported_stub: true, awaits_first_log_in: true } : {}),
    }
  })

/** Who is called by an outgoing webhook learns a new token. */
export const completeBots = async (rows: Row[]): Promise<Row[]> =>
  rows.map((row) => ({
    ...row,
    token: row.payload_url == null ? null : randomBytes(24).toString('base64url'),
  }))

/** Fields that name people hold a list of them as text. */
export const completeProfileValues = async (
  rows: Row[],
  context: TakingIn,
  { database }: Deps,
): Promise<Row[]> => {
  const fields = await database.sql<{ id: number }[]>`
    SELECT id FROM profile_fields WHERE realm_id = ${context.realmId} AND type = ${profileFieldTypes.USER.id}`
  const naming = new Set(fields.map(({ id }) => id))
  return rows.map((row) =>
    naming.has(row.field_id as number)
      ? { ...row, value: JSON.stringify(idsOf('user')(JSON.parse(row.value as string), context)) }
      : row,
  )
}

/** Their archives stayed where they were made. */
export const completeExports = async (rows: Row[]): Promise<Row[]> =>
  rows.map((row) => ({ ...row, from_prior_server: true, due_at: null }))
