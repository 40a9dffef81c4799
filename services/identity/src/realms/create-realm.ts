import { createRealm as contract } from '@parley/contracts/identity/internals'
import { publishGroup } from '../groups/group-announcements.ts'
import { insertSystemGroups } from '../groups/system-groups.ts'
import { internal } from '../room.ts'
import { realmUrl } from './realm-address.ts'
import { publishRealm } from './realm-announcements.ts'
import { storeDemoEnd } from './realm-life-store.ts'
import { isSubdomain, realmNameFinding } from './realm-rules.ts'
import { insertRealm, realmById } from './realm-store.ts'

export const createRealm = internal(contract, async ({ input, deps, transaction, refuse }) => {
  const subdomain = input.subdomain.trim().toLowerCase()
  const name = input.name.trim()
  if (!isSubdomain(subdomain)) throw refuse('BAD_REQUEST', `'${subdomain}' cannot be a subdomain.`)
  const finding = realmNameFinding(name)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)

  return transaction(async (tx) => {
    const id = await insertRealm(tx.sql, { subdomain, name })
    if (id === undefined) {
      throw refuse('BAD_REQUEST', `There is already an organization at subdomain '${subdomain}'.`)
    }
    if (input.demo_days != null) await storeDemoEnd(tx.sql, id, input.demo_days)
    await insertSystemGroups(tx.sql, id)
    const realm = (await realmById(tx.sql, id))!
    publishRealm(tx, realm)
    for (const group of Object.values(realm.system_groups)) {
      await publishGroup(tx, id, group, realm.system_groups)
    }
    return { realm_id: id, subdomain, name, url: realmUrl(deps.publicUrl, subdomain) }
  })
})
