import { createNewcomer as contract } from '@parley/contracts/identity/joining'
import { publishGroup } from '../groups/group-announcements.ts'
import { putMembers } from '../groups/group-changes.ts'
import { changeGroup, groupsByIds } from '../groups/group-store.ts'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { createAccount } from '../users/account-creation.ts'
import { demandUniqueName } from '../users/unique-names.ts'
import { newAccountFinding } from '../users/user-rules.ts'
import { madeBefore, noteMade } from './made-before.ts'

export const createNewcomer = internal(contract, async ({ input, deps, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const { name, realm_id, email, role, password_hash } = input
    const before = await madeBefore(sql, name)
    if (before !== undefined) return { user_id: before.user_id }
    const full_name = input.full_name.trim()
    // Also what changes of groups take: nobody changes them meanwhile.
    await lockAccounts(sql, realm_id)
    const realm = await realmById(sql, realm_id)
    if (!realm?.is_active) throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
    const realm_host = realmHost(deps.publicUrl, realm.subdomain)
    const finding = newAccountFinding({ email, full_name, password: null }, realm_host)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    await demandUniqueName(sql, realm_id, full_name)
    const made = await createAccount(tx, deps.keys, {
      realm_id,
      realm_host,
      email,
      full_name,
      role,
      password_hash,
      arrival: { welcome_message_custom_text: input.welcome_message_custom_text },
    })
    if (made === undefined) throw refuse('BAD_REQUEST', `Email '${email}' already in use`)
    const { id } = made.user
    await noteMade(sql, name, id)
    for (const group of await groupsByIds(sql, realm_id, input.group_ids)) {
      if (group.is_system_group || group.deactivated) continue
      await putMembers(tx, group, [id])
      await changeGroup(sql, group.id, {})
      await publishGroup(tx, realm_id, group.id, realm.system_groups)
    }
    return { user_id: id }
  }),
)
