import { limits } from '@parley/contracts'
import { realmUpdate, realmUpdateDict } from '@parley/contracts/identity/events'
import { realmPermissionNames, realmPermissions } from '@parley/contracts/identity/permission-settings'
import { updateRealm as contract } from '@parley/contracts/identity/realm'
import {
  type AuthenticationMethods,
  realmSettingNames,
  realmSettings,
} from '@parley/contracts/identity/realm-settings'
import { codePoints, type GroupSettingUpdate } from '@parley/contracts/objects/values'
import type { z } from 'zod'
import { followGuestLimit } from '../acquaintances/acquaintance-changes.ts'
import { announceMoved, membersBetween } from '../groups/group-membership.ts'
import { lockGroups } from '../groups/group-store.ts'
import { demandSettingValue, sameSetting } from '../groups/setting-values.ts'
import { shownSettings } from '../groups/shown-settings.ts'
import { renderNameless } from '../nameless-markdown.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { demandChannels } from './channels-with-tasks.ts'
import { publishRealm } from './realm-announcements.ts'
import { realmNameFinding } from './realm-rules.ts'
import { changeRealm, lockAccounts, realmById } from './realm-store.ts'
import {
  type JsonValue,
  methodsInForce,
  methodsOffered,
  permissionsInForce,
  settingsInForce,
} from './settings-in-force.ts'

/** Who can get into the organization, who makes groups, and how long messages live, is for owners to say. */
const ownersPermissions = new Set<string>([
  'create_multiuse_invite_group',
  'can_invite_users_group',
  'can_create_groups',
  'can_manage_all_groups',
])

export const updateRealm = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  await demandChannels(deps, caller, params)
  return transaction(async (tx) => {
    const { sql } = tx
    await (params.can_access_all_users_group === undefined ? lockGroups : lockAccounts)(sql, caller.realm.id)
    const actor = await actingUser(sql, caller, 'administrator')
    const realm = (await realmById(sql, caller.realm.id))!
    const sent = params as Record<string, JsonValue | undefined>
    const demandOwner = (): void => {
      if (actor.role > 100) throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner')
    }
    /** Settings that come one by one; the others come in the form of a dict only. */
    const plain: Record<string, JsonValue> = {}
    const dict: Record<string, JsonValue> = {}

    const name = (sent.name as string | undefined)?.trim()
    if (name !== undefined && name !== realm.name) {
      const finding = realmNameFinding(name)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      plain.name = name
    }
    const description = sent.description as string | undefined
    if (description !== undefined && description !== realm.description) {
      if (codePoints(description) > limits.maxRealmDescriptionLength) {
        throw refuse('BAD_REQUEST', 'Organization description is too long.')
      }
      dict.description = description
    }

    if (sent.video_chat_provider === 4 && deps.bigBlueButton === undefined) {
      throw refuse('BAD_REQUEST', 'Invalid video_chat_provider 4')
    }
    const current = settingsInForce(realm)
    for (const setting of realmSettingNames) {
      const value = sent[setting]
      if (value === undefined) continue
      if (realmSettings[setting].who === 'owner') demandOwner()
      if (value !== current[setting]) plain[setting] = value
    }

    const [shown] = await shownSettings(sql, [realm.settings])
    const permissions = permissionsInForce({ ...realm, settings: shown! })
    for (const permission of realmPermissionNames) {
      const update = sent[permission] as z.infer<typeof GroupSettingUpdate> | undefined
      if (update === undefined) continue
      if (ownersPermissions.has(permission)) demandOwner()
      const before = permissions[permission]!
      if (update.old !== undefined && !sameSetting(update.old, before)) {
        throw refuse('EXPECTATION_MISMATCH', "'old' value does not match the expected value.")
      }
      const value = await demandSettingValue(sql, realm, permission, realmPermissions[permission], update.new)
      if (!sameSetting(value, before)) dict[permission] = value
    }

    const methods = sent.authentication_methods as Partial<AuthenticationMethods> | undefined
    if (methods !== undefined) {
      demandOwner()
      const before = methodsInForce(realm)
      const all: AuthenticationMethods = {
        Email: methods.Email ?? before.Email,
        LDAP: methods.LDAP ?? before.LDAP,
        Dev: methods.Dev ?? before.Dev,
      }
      const isOther = (all.LDAP && deps.directory !== undefined) || (all.Dev && deps.isDevelopment)
      if (!all.Email && !isOther) {
        throw refuse('BAD_REQUEST', 'At least one authentication method must be enabled.')
      }
      const isChanged = all.Email !== before.Email || all.LDAP !== before.LDAP || all.Dev !== before.Dev
      if (isChanged) dict.authentication_methods = all
    }

    const changed = { ...plain, ...dict }
    if (Object.keys(changed).length === 0) return {}
    const { name: _name, description: _description, ...settings } = changed
    const after = await changeRealm(sql, realm.id, {
      settings,
      ...(plain.name === undefined ? {} : { name: name! }),
      ...(dict.description === undefined
        ? {}
        : {
            description: description!,
            rendered_description: renderNameless(description!, caller.realm.url),
          }),
    })
    publishRealm(tx, after)
    const audience = { realm: realm.id, everyone: true } as const
    // With what clients cannot make themselves, and what older ones look for.
    const told: Record<string, JsonValue> = {
      ...changed,
      ...('description' in dict ? { rendered_description: after.rendered_description } : {}),
      ...('topics_policy' in plain
        ? { mandatory_topics: plain.topics_policy === 'disable_empty_topic' }
        : {}),
      ...('authentication_methods' in dict ? { authentication_methods: methodsOffered(after, deps) } : {}),
    }
    const [only, ...others] = Object.entries(told)
    if (others.length === 0 && only![0] in plain) {
      tx.emit(realmUpdate, audience, { property: only![0], value: only![1] })
    } else {
      tx.emit(realmUpdateDict, audience, { property: 'default', data: told })
    }
    if (plain.waiting_period_threshold !== undefined) {
      const [before, now] = [current, settingsInForce(after)].map((all) =>
        Number(all.waiting_period_threshold),
      )
      const moved = await membersBetween(sql, realm.id, before!, now!)
      const [full, others] = [realm.system_groups['role:fullmembers'], realm.system_groups['role:members']]
      const isLonger = now! > before!
      announceMoved(
        tx,
        realm.id,
        moved,
        isLonger ? { left: full, entered: others } : { left: others, entered: full },
      )
    }
    if (dict.can_access_all_users_group !== undefined) await followGuestLimit(tx, deps.ask, realm.id)
    return changed
  })
})
