import { updateMessageFlagsForNarrow as contract } from '@parley/contracts/channels/message-flags'
import { demandModestCounts, windowAround } from '../narrows/message-window.ts'
import { planNarrow } from '../narrows/narrow-plan.ts'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { changeFlags } from './change-flags.ts'
import { settableFlag } from './flag-rules.ts'

export const updateMessageFlagsForNarrow = endpoint(
  contract,
  async ({ params, caller, deps, transaction }) => {
    const { op, narrow, num_before, num_after, anchor, anchor_date, include_anchor } = params
    const flag = settableFlag(params.flag)
    demandModestCounts(num_before, num_after)
    const reader = await readerOf(deps, caller)
    return transaction(async (tx) => {
      const plan = await planNarrow(deps, tx.sql, reader, narrow)
      const wish = { anchor, anchor_date, include_anchor, num_before, num_after }
      const { ids, found_oldest, found_newest } = await windowAround(tx.sql, plan, wish)
      const changed = await changeFlags(tx, caller, ids, { op, flag })
      return {
        processed_count: ids.length,
        updated_count: changed.ids.length,
        first_processed_id: ids[0] ?? null,
        last_processed_id: ids.at(-1) ?? null,
        found_oldest,
        found_newest,
        ignored_because_not_subscribed_channels: changed.ignored_because_not_subscribed_channels,
      }
    })
  },
)
