import { listLinkifiers as contract } from '@parley/contracts/identity/linkifiers'
import { endpoint } from '../room.ts'
import { linkifiersOf } from './linkifier-store.ts'

export const listLinkifiers = endpoint(contract, async ({ caller, deps }) => ({
  linkifiers: await linkifiersOf(deps.database.sql, caller.realm.id),
}))
