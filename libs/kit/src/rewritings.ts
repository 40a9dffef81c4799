/** How IDs in rows of an archive become those of another organization; no I/O. */
import { isSystemBot } from '@parley/contracts/identity/system-bots'
import type { IdShifts } from '@parley/contracts/realm-data'
import type { Rewriting } from './holdings.ts'

/** An ID of the archive as it is here; what is no ID of it (0, -1, one that the archive does not have) stays. */
export const shifted = (shifts: IdShifts, kind: string, id: number): number => {
  const shift = shifts[kind]
  return shift !== undefined && id >= shift.least && id <= shift.most ? id + shift.by : id
}

/** A column with an ID. One that the archive does not have is nobody's here: null. */
export const idOf =
  (kind: string): Rewriting =>
  (value, { shifts }) => {
    if (typeof value !== 'number' || value <= 0) return value
    // The server's own accounts are the same everywhere.
    if (kind === 'user' && isSystemBot(value)) return value
    const shift = shifts[kind]
    return shift === undefined || value < shift.least || value > shift.most ? null : value + shift.by
  }

/** A column with a list of IDs. */
export const idsOf =
  (kind: string): Rewriting =>
  (value, context) =>
    Array.isArray(value) ? value.map((id) => idOf(kind)(id, context)).filter((id) => id !== null) : value

/** Of int8. */
const largest = '9223372036854775807'

/** A column that is compared with IDs: what lies before or after all of the archive's stays so. */
export const boundOf =
  (kind: string): Rewriting =>
  (value, { shifts }) => {
    const shift = shifts[kind]
    if (typeof value !== 'number') return value
    // The largest that a column holds stands for all there will ever be; as a text, for no number here is as large.
    if (value > Number.MAX_SAFE_INTEGER) return largest
    if (shift === undefined || value < shift.least) return 0
    return Math.min(value, shift.most) + shift.by
  }

/** A group-setting value: a group's ID, or members and subgroups. */
export const groupSettingOf: Rewriting = (value, context) => {
  if (typeof value === 'number') return idOf('group')(value, context)
  if (value === null || typeof value !== 'object') return value
  const { direct_members, direct_subgroups } = value as Record<string, unknown>
  return {
    direct_members: idsOf('user')(direct_members, context),
    direct_subgroups: idsOf('group')(direct_subgroups, context),
  }
}

/** An object of group-setting values. */
export const groupSettingsOf: Rewriting = (value, context) =>
  Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, one]) => [
      name,
      groupSettingOf(one, context),
    ]),
  )

/** A column with the organization's ID, beside the one that rows belong to it by. */
export const realmOf: Rewriting = (_value, { realmId }) => realmId

/** An address or a path that begins with the organization's ID. */
export const realmPathOf: Rewriting = (value, { realmId, origin }) =>
  typeof value === 'string' && value.startsWith(`${origin.realm_id}/`)
    ? `${realmId}${value.slice(String(origin.realm_id).length)}`
    : value
