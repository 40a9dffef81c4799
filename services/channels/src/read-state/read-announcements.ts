import { updateMessageFlagsAdd } from '@parley/contracts/channels/message-events'
import type { Tx } from '@parley/kit'
import type { BecameRead } from './read-store.ts'

/**
 * Tells readers what is read although they did not read it: they left the channel, or it was moved to where they are not
 * subscribed, where nothing can be unread.
 */
export const announceRead = (
  tx: Tx<typeof updateMessageFlagsAdd>,
  realmId: number,
  becameRead: readonly BecameRead[],
): void => {
  for (const { user_ids, message_ids } of becameRead) {
    tx.emit(
      updateMessageFlagsAdd,
      { realm: realmId, users: user_ids },
      { operation: 'add', flag: 'read', messages: message_ids, all: false },
    )
  }
}
