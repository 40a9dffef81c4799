import { updateMessageFlagsAdd } from '@parley/contracts/channels/message-events'
import type { Tx } from '@parley/kit'
import { portions } from '@parley/kit/portions'
import type { BecameRead } from './read-store.ts'

/** Messages that one event lists: an announcement is at most 4 MiB, and an ID of 16 digits. */
export const idsInEvent = 200_000

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
    for (const messages of portions(message_ids, idsInEvent)) {
      tx.emit(
        updateMessageFlagsAdd,
        { realm: realmId, users: user_ids },
        { operation: 'add', flag: 'read', messages, all: false },
      )
    }
  }
}
