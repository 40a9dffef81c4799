import type { Queries } from '../room.ts'

type Settings = Readonly<Record<string, unknown>>

/** The accounts that a setting names one by one. */
export const directMembers = (value: unknown): readonly number[] =>
  typeof value === 'object' && value !== null && 'direct_members' in value
    ? (value as { direct_members: readonly number[] }).direct_members
    : []

/**
 * Settings as they are shown: deactivated accounts are named to nobody (level 303), and stored for when they come back.
 */
export const shownSettings = async <S extends Settings>(sql: Queries, all: readonly S[]): Promise<S[]> => {
  const named = new Set(all.flatMap((settings) => Object.values(settings).flatMap(directMembers)))
  if (named.size === 0) return [...all]
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM users WHERE id = ANY (${[...named]}::bigint[]) AND NOT is_active`
  if (rows.length === 0) return [...all]
  const gone = new Set(rows.map(({ id }) => id))
  const shown = (value: unknown): unknown =>
    directMembers(value).some((id) => gone.has(id))
      ? { ...(value as object), direct_members: directMembers(value).filter((id) => !gone.has(id)) }
      : value
  return all.map(
    (settings) =>
      Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, shown(value)])) as S,
  )
}
