import type { KnownCaller } from '@parley/contracts'
import { deviceUpdate } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { clearPushRegistrations } from './device-store.ts'

/** Ends how the caller's devices are told of messages, and tells its clients. */
export const endPushRegistrations = async (
  tx: Tx<typeof deviceUpdate>,
  { realm, user }: KnownCaller,
): Promise<void> => {
  for (const device_id of await clearPushRegistrations(tx.sql, user.id)) {
    tx.emit(
      deviceUpdate,
      { realm: realm.id, users: [user.id] },
      {
        device_id,
        push_key_id: null,
        push_token_id: null,
        pending_push_token_id: null,
        push_token_last_updated_timestamp: null,
      },
    )
  }
}
