import { findGroups as contract } from '@parley/contracts/identity/permission-questions'
import { realmById } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { groupFact } from './group-presentation.ts'
import { groupsByIds, groupsByNames } from './group-store.ts'

export const findGroups = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const realm = await realmById(sql, input.realm_id)
  if (realm === undefined) return { groups: [] }
  const { ids, names = [] } = input
  const groups = [...(await groupsByIds(sql, realm.id, ids)), ...(await groupsByNames(sql, realm.id, names))]
  return { groups: groups.map((group) => groupFact(group, realm.system_groups)) }
})
