import { updateMessageFlags as contract } from '@parley/contracts/channels/message-flags'
import { readableIds } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { changeFlags } from './change-flags.ts'
import { settableFlag } from './flag-rules.ts'

export const updateMessageFlags = endpoint(
  contract,
  async ({ params, caller, deps, refuse, transaction }) => {
    const flag = settableFlag(params.flag)
    const { op } = params
    const wanted = [...new Set(params.messages)]
    const { person } = await readerOf(deps, caller)
    return transaction(async (tx) => {
      const readable = await readableIds(tx.sql, caller.realm.id, person, wanted)
      if (readable.length < wanted.length) throw refuse('BAD_REQUEST', 'Invalid message(s)')
      const { ignored_because_not_subscribed_channels } = await changeFlags(tx, caller, wanted, { op, flag })
      return { messages: params.messages, ignored_because_not_subscribed_channels }
    })
  },
)
