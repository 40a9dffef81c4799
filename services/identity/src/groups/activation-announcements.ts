import type { activationEvents } from '@parley/contracts/identity/activation-events'
import {
  realmUpdateDict,
  userGroupAddMembers,
  userGroupRemoveMembers,
  userGroupUpdate,
} from '@parley/contracts/identity/events'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Tx } from '@parley/kit'
import { strangersTo } from '../acquaintances/acquaintance-store.ts'
import { realmById } from '../realms/realm-store.ts'
import type { JsonValue } from '../realms/settings-in-force.ts'
import type { UserRow } from '../users/user-store.ts'
import { groupsOf, systemGroupFor } from './group-membership.ts'
import { groupObject, namedGroup } from './group-presentation.ts'
import { groupsNaming } from './group-store.ts'
import { directMembers, shownSettings } from './shown-settings.ts'

export type ActivationEvents = (typeof activationEvents)[number]

/**
 * Deactivated accounts are in no group, and named by no setting, that is shown. Clients that hear of the end of an
 * account take it out of both by themselves; those who may not know it, and everybody when it comes back, are told what
 * each group and setting is now.
 */
export const announceGroupsOf = async (tx: Tx<ActivationEvents>, user: UserRow): Promise<void> => {
  const { sql } = tx
  const { id, realm_id: realm } = user
  const users = user.is_active ? undefined : await strangersTo(sql, user)
  if (users?.length === 0) return
  const audience = users === undefined ? ({ realm, everyone: true } as const) : { realm, users }
  const membership = user.is_active ? userGroupAddMembers : userGroupRemoveMembers
  const role = { id: await systemGroupFor(sql, id, user.role), deactivated: false }
  for (const group of [role, ...(await groupsOf(sql, id))]) {
    tx.emit(membership, audience, { ...namedGroup(group), user_ids: [id] })
  }
  const row = (await realmById(sql, realm))!
  const [shown] = await shownSettings(sql, [row.settings])
  const data = only(shown!, naming(row.settings, id))
  if (Object.keys(data).length > 0) tx.emit(realmUpdateDict, audience, { property: 'default', data })
  for (const group of await groupsNaming(sql, realm, id)) {
    tx.emit(userGroupUpdate, audience, {
      group_id: group.id,
      data: only(group.shown_settings as Record<string, GroupSettingValue>, naming(group.settings, id)),
      group: groupObject(group, row.system_groups),
    })
  }
}

const naming = (settings: Readonly<Record<string, unknown>>, userId: number): string[] =>
  Object.keys(settings).filter((name) => directMembers(settings[name]).includes(userId))

const only = <Value extends JsonValue>(
  settings: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> => Object.fromEntries(names.map((name) => [name, settings[name]!]))
