import { getReadReceipts as contract } from '@parley/contracts/channels/message-flags'
import { readableMessages } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import { endpoint } from '../room.ts'
import { readersOf } from './receipt-store.ts'

export const getReadReceipts = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const realm = await deps.realms.get(caller.realm.id)
  if (!realmSetting(realm, 'enable_read_receipts')) {
    throw refuse('BAD_REQUEST', 'Read receipts are disabled in this organization.')
  }
  const { database } = deps
  const { sql } = database
  const { person } = await readerOf(deps, caller)
  const [message] = await database.guard(readableMessages(sql, realm.id, person, [params.message_id]))
  if (message === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  return { user_ids: await database.guard(readersOf(sql, message.id, person.id)) }
})
