import { messageChangesTopic } from '@parley/contracts/channels/topics'
import type { Tx } from '@parley/kit'
import { channelById } from '../channels/channel-store.ts'
import { announceFirstMessage } from '../channels/first-message.ts'
import { announceExpired } from '../retention/expire-messages.ts'
import { archiveMessages } from '../retention/retention-store.ts'
import type { Deps } from '../room.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { takeDue } from '../scheduler/take-due.ts'
import {
  claimRemoval,
  endRemoval,
  nextPortion,
  putOffRemoval,
  type Removal,
  secondsToRemoval,
} from './removal-store.ts'

/** Messages that one transaction deletes: as many events as a client without the capability receives at once. */
const messagesAtATime = 500

/** Deletes what accounts wrote that were ended with that wish, a portion of one conversation at a time. */
export const removalWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'message removals',
    takeOne: () =>
      takeDue<Removal>({
        name: 'message removals',
        database,
        log,
        claim: claimRemoval,
        perform: (tx, removal) => step(deps, tx, removal),
        putOff: putOffRemoval,
      }),
    secondsToNext: () => database.guard(secondsToRemoval(database.sql)),
  }
}

const step = async (deps: Deps, tx: Tx, removal: Removal): Promise<string> => {
  const portion = await nextPortion(tx.sql, removal, messagesAtATime)
  if (portion === undefined) {
    await endRemoval(tx.sql, removal.id)
    return 'done'
  }
  const { realm_id } = removal
  const { recipient_id, messages } = portion
  await announceExpired(deps, tx, { realm_id, ...portion }, messages)
  const message_ids = messages.map((message) => message.id)
  await archiveMessages(tx.sql, message_ids)
  const { channel_id } = portion
  const channel = channel_id === null ? undefined : await channelById(tx.sql, realm_id, channel_id)
  if (channel !== undefined) {
    await announceFirstMessage(tx, await deps.realms.get(realm_id), channel, message_ids)
  }
  tx.publish(messageChangesTopic, recipient_id, { kind: 'deleted', realm_id, message_ids })
  return 'deleted'
}
