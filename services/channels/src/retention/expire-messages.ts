import { limits } from '@parley/contracts'
import { deleteMessageEvent } from '@parley/contracts/channels/message-change-events'
import { messageChangesTopic } from '@parley/contracts/channels/topics'
import type { Tx } from '@parley/kit'
import { Counter } from 'prom-client'
import { channelById } from '../channels/channel-store.ts'
import { announceFirstMessage } from '../channels/first-message.ts'
import { audiencesOf } from '../messages/message-audience.ts'
import type { Deps } from '../room.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { takeDue } from '../scheduler/take-due.ts'
import {
  archiveMessages,
  boundedConversations,
  claimRetention,
  type Expired,
  expiredMessages,
  type RetentionProgress,
  removeArchived,
  secondsToRetention,
  storeRetentionProgress,
} from './retention-store.ts'

/** Messages that one transaction archives: as many events as a client without the capability receives at once. */
const messagesAtATime = 500
const archivedRowsAtATime = 5000
/** Seconds between two rounds through all conversations. */
const pauseBetweenRounds = 6 * 3600
/** Seconds after something unforeseen. */
const pauseAfterFailure = 300

const expired = new Counter({
  name: 'parley_retention_rows_total',
  help: 'Messages archived because they were too old, and archived rows removed for good.',
  labelNames: ['step'],
})

/**
 * Archives messages that are older than their channel or organization keeps them, and removes for good what has been
 * archived for long enough. A round is many small steps; each is a transaction that holds the one row of the progress, so
 * one process works at a time, and another goes on where one ended.
 */
export const retentionWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'retention',
    takeOne: () =>
      takeDue<RetentionProgress>({
        name: 'retention',
        database,
        log,
        claim: claimRetention,
        perform: (tx, progress) => step(deps, tx, progress),
        putOff: (sql) => storeRetentionProgress(sql, 0, pauseAfterFailure),
      }),
    secondsToNext: () => database.guard(secondsToRetention(database.sql)),
  }
}

const step = async (deps: Deps, tx: Tx, { after_recipient_id }: RetentionProgress): Promise<string> => {
  const { found, isLast } = await boundedConversations(tx.sql, after_recipient_id)
  const conversation = found.find((one) => one.has_expired)
  if (conversation !== undefined) {
    const { recipient_id, days } = conversation
    const messages = await expiredMessages(tx.sql, recipient_id, days, messagesAtATime)
    await announceExpired(deps, tx, conversation, messages)
    const message_ids = messages.map((message) => message.id)
    await archiveMessages(tx.sql, message_ids)
    const { realm_id, channel_id } = conversation
    const channel = channel_id === null ? undefined : await channelById(tx.sql, realm_id, channel_id)
    if (channel !== undefined) {
      await announceFirstMessage(tx, await deps.realms.get(realm_id), channel, message_ids)
    }
    tx.publish(messageChangesTopic, recipient_id, { kind: 'deleted', realm_id, message_ids })
    expired.inc({ step: 'archived' }, messages.length)
    // There may be more in it.
    await storeRetentionProgress(tx.sql, recipient_id - 1, 0)
    return 'archived'
  }
  if (!isLast) {
    await storeRetentionProgress(tx.sql, found.at(-1)!.recipient_id, 0)
    return 'looked'
  }
  const removed = await removeArchived(tx.sql, limits.deletedMessageVacuumDays, archivedRowsAtATime)
  expired.inc({ step: 'removed' }, removed)
  const isOver = removed < archivedRowsAtATime
  const lastId = isOver ? 0 : (found.at(-1)?.recipient_id ?? after_recipient_id)
  await storeRetentionProgress(tx.sql, lastId, isOver ? pauseBetweenRounds : 0)
  return isOver ? 'round over' : 'removed'
}

/** Tells those who could read the messages that they are gone. */
export const announceExpired = async (
  deps: Deps,
  tx: Tx,
  conversation: {
    readonly realm_id: number
    readonly recipient_id: number
    readonly channel_id: number | null
  },
  messages: readonly Expired[],
): Promise<void> => {
  const { realm_id, recipient_id, channel_id } = conversation
  if (channel_id === null) {
    const [direct] = await tx.sql<{ user_ids: number[] }[]>`
      SELECT user_ids FROM conversations WHERE recipient_id = ${recipient_id}`
    const message_ids = messages.map((message) => message.id)
    const users = direct?.user_ids ?? []
    tx.emit(deleteMessageEvent, { realm: realm_id, users }, { message_type: 'private', message_ids })
    return
  }
  const channel = await channelById(tx.sql, realm_id, channel_id)
  if (channel === undefined) return
  const topicOf = new Map(messages.map((message) => [message.id, message.topic]))
  const realm = await deps.realms.get(realm_id)
  for (const { userIds, messageIds } of await audiencesOf(tx.sql, realm, channel, messages)) {
    for (const [topic, message_ids] of Map.groupBy(messageIds, (id) => topicOf.get(id)!)) {
      tx.emit(
        deleteMessageEvent,
        { realm: realm_id, users: [...userIds] },
        { message_type: 'stream', message_ids, stream_id: channel_id, topic },
      )
    }
  }
}
