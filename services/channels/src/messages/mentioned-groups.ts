/** User groups that a text mentions: what the text shows of them, and who is called by that. */
import { type CallerUser, refuse } from '@parley/contracts'
import { isSystemBot } from '@parley/contracts/identity/system-bots'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { MentionGroup, Rendered } from '@parley/markdown'
import type { Realm } from '../directory/realm-store.ts'
import { orNobody } from '../directory/user-directory.ts'
import { isNamed } from '../permissions/find-actor.ts'
import { findGroupsNamed } from '../permissions/find-groups.ts'
import { isNamedBy } from '../permissions/group-store.ts'
import type { Deps } from '../room.ts'

/**
 * Active groups of an organization by their names, in any case; each with whether this author may mention it aloud
 * (can_mention_group). Nobody's text (a description) mentions no group aloud.
 */
export const mentionGroups = async (
  deps: Pick<Deps, 'users' | 'database'> & Partial<Pick<Deps, 'ask'>>,
  realm: Realm,
  names: readonly string[],
  author: Pick<CallerUser, 'id' | 'role'> | undefined,
): Promise<MentionGroup[]> => {
  if (names.length === 0) return []
  const { database, ask } = deps
  const known = await database.guard(
    database.sql<{ id: number; name: string; can_mention_group: GroupSettingValue }[]>`
      SELECT id, name, can_mention_group FROM user_groups
      WHERE realm_id = ${realm.id} AND is_active
        AND lower(name) = ANY (${names.map((name) => name.toLowerCase())}::text[])`,
  )
  // A group may be named before the news of it has come here.
  const found = new Set(known.map(({ name }) => name.toLowerCase()))
  const unknown = names.filter((name) => !found.has(name.toLowerCase()))
  const asked =
    ask === undefined || unknown.length === 0
      ? []
      : await orNobody(findGroupsNamed({ database, ask }, realm.id, unknown))
  const groups = [...known, ...asked.filter(({ id }) => !known.some((group) => group.id === id))]
  return Promise.all(
    groups.map(async ({ id, name, can_mention_group }) => ({
      id,
      name,
      mentionable:
        author !== undefined &&
        (isSystemBot(author.id) || (await isNamed(deps, author, realm, can_mention_group))),
    })),
  )
}

/** @throws ApiError BAD_REQUEST when a text mentions a group aloud that its author may not mention. */
export const demandMentionable = async (
  deps: Pick<Deps, 'database'>,
  { mentions }: Rendered,
): Promise<void> => {
  const [first] = mentions.forbiddenGroups
  if (first === undefined) return
  const { database } = deps
  const [group] = await database.guard(
    database.sql<{ name: string }[]>`SELECT name FROM user_groups WHERE id = ${first}`,
  )
  throw refuse('BAD_REQUEST', `You are not allowed to mention user group '${group?.name ?? first}'.`)
}

/** Active accounts in groups, however deep. */
export const membersOfGroups = async (
  { database }: Pick<Deps, 'database'>,
  realm: Realm,
  groupIds: readonly number[],
): Promise<number[]> => {
  if (groupIds.length === 0) return []
  const { sql } = database
  const rows = await database.guard(
    sql<{ id: number }[]>`
      SELECT u.id FROM users u
      WHERE u.realm_id = ${realm.id} AND u.is_active AND ${isNamedBy(sql, realm, [...groupIds])}`,
  )
  return rows.map(({ id }) => id)
}
