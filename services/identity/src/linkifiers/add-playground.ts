import { addPlayground as contract } from '@parley/contracts/identity/linkifiers'
import { lockGroups } from '../groups/group-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { playgroundFinding } from './linkifier-rules.ts'
import { insertPlayground } from './linkifier-store.ts'
import { announcePlaygrounds } from './playground-announcements.ts'

export const addPlayground = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realmId = caller.realm.id
    await lockGroups(tx.sql, realmId)
    await actingUser(tx.sql, caller, 'administrator')
    const playground = {
      name: params.name.trim(),
      pygments_language: params.pygments_language.trim(),
      url_template: params.url_template.trim(),
    }
    const finding = playgroundFinding(playground)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    const id = await insertPlayground(tx.sql, realmId, playground)
    if (id === undefined) {
      throw refuse('BAD_REQUEST', 'There is already a playground of this name for the language.')
    }
    await announcePlaygrounds(tx, realmId)
    return { id }
  }),
)
