import { createRealm as contract } from '@parley/contracts/identity/internals'
import { insertSystemGroups } from '../groups/system-groups.ts'
import { internal } from '../room.ts'
import { realmUrl } from './realm-address.ts'
import { publishRealm } from './realm-announcements.ts'
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
    await insertSystemGroups(tx.sql, id)
    publishRealm(tx, (await realmById(tx.sql, id))!)
    return { realm_id: id, subdomain, name, url: realmUrl(deps.publicUrl, subdomain) }
  })
})
