import { allUserSettings } from '@parley/contracts/identity/user-settings'
import type { InheritedNotifications } from '@parley/contracts/objects/channel'
import type { Queries } from '../room.ts'

const inheritedOf = (stored: Readonly<Record<string, unknown>>): InheritedNotifications => {
  const settings = allUserSettings(stored)
  return {
    desktop_notifications: settings.enable_stream_desktop_notifications,
    audible_notifications: settings.enable_stream_audible_notifications,
    push_notifications: settings.enable_stream_push_notifications,
    email_notifications: settings.enable_stream_email_notifications,
    wildcard_mentions_notify: settings.wildcard_mentions_notify,
  }
}

const standard = inheritedOf({})

/** What a null setting of a subscription means to somebody. */
export type InheritedBy = (userId: number) => InheritedNotifications

export const inheritedBy = async (sql: Queries, userIds: readonly number[]): Promise<InheritedBy> => {
  const rows = await sql<{ user_id: number; settings: Record<string, unknown> }[]>`
    SELECT user_id, settings FROM personal
    WHERE user_id = ANY (${[...userIds]}::bigint[]) AND settings <> '{}'::jsonb`
  const own = new Map(rows.map((row) => [row.user_id, inheritedOf(row.settings)]))
  return (userId) => own.get(userId) ?? standard
}

/** Divides users by what null means to them. */
export const alikeInInheriting = (
  users: readonly number[],
  inheritedBy: InheritedBy,
): { users: number[]; inherited: InheritedNotifications }[] => {
  const groups = new Map<string, { users: number[]; inherited: InheritedNotifications }>()
  for (const user of users) {
    const inherited = inheritedBy(user)
    const key = Object.values(inherited).join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { users: [user], inherited })
    else group.users.push(user)
  }
  return [...groups.values()]
}
