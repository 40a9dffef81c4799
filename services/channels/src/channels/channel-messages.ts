/** What the notification bot says in a channel about what happens to it. */
import { currentTraceparent } from '@parley/bus'
import type { KnownCaller } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { linkifiersOf } from '../directory/realm-linkifiers.ts'
import type { Realm } from '../directory/realm-store.ts'
import { folderNames } from '../folders/folder-store.ts'
import { channelMessage, type Writing } from '../messages/outgoing-message.ts'
import { renderText } from '../messages/render-text.ts'
import { sendMessages } from '../messages/send-store.ts'
import { demandSender } from '../messages/send-text.ts'
import {
  archivedText,
  areChannelEventsTold,
  channelEventNotices,
  topicOfEvents,
} from '../notices/channel-event-notices.ts'
import { insertNotices } from '../notices/notice-store.ts'
import type { Deps } from '../room.ts'
import { actingBot } from '../scheduler/callers.ts'
import type { ChannelChanges, ChannelRow } from './channel-store.ts'

/** Says what was changed by somebody, once the change has committed. `channel` as it was before. */
export const tellOfChanges = async (
  tx: Tx<never>,
  deps: Pick<Deps, 'bell'>,
  { realm, by, channel }: { realm: Realm; by: UserFact; channel: ChannelRow },
  changes: ChannelChanges,
): Promise<void> => {
  if (!areChannelEventsTold(realm)) return
  const names =
    changes.folder_id === undefined
      ? new Map<number, string>()
      : await folderNames(
          tx.sql,
          [channel.folder_id, changes.folder_id].filter((id) => id !== null),
        )
  const nameOf = (id: number | null | undefined) => (id == null ? undefined : names.get(id))
  const folders = { before: nameOf(channel.folder_id), after: nameOf(changes.folder_id) }
  const notices = channelEventNotices({ realm, by, channel, changes, folders })
  if (notices.length === 0) return
  await insertNotices(tx.sql, notices)
  tx.afterCommit(deps.bell.ring)
}

/** Says something in a channel, in the transaction that archives it. */
export type Farewell = (tx: Tx<never>, archived: ChannelRow) => Promise<void>

/**
 * What is said in a channel when it is archived, written before the transaction: inside of it nothing but the transaction
 * itself may be waited for. It is sent with the change, since afterwards nothing can be said there; the last thing that
 * the transaction does, it is told before everything that is told of the change.
 */
export const writeFarewell = async (deps: Deps, caller: KnownCaller, realm: Realm): Promise<Farewell> => {
  if (!areChannelEventsTold(realm)) return async () => {}
  const content = archivedText(await demandSender(deps, realm.id, caller.user.id))
  const writing: Writing = {
    ...(await actingBot(deps, realm.id, 'notification')),
    content,
    rendered: (await renderText(deps, caller.realm, content)).rendered,
    calledInGroups: [],
    alerted: [],
    muters: [],
    wishes: [],
    widget: undefined,
    readBySender: true,
    localName: undefined,
    traceparent: currentTraceparent(),
  }
  return async (tx, archived) => {
    const message = channelMessage(writing, archived, topicOfEvents(archived), false, [], linkifiersOf(realm))
    await sendMessages(tx.sql, [message])
    tx.afterCommit(() => deps.database.committed())
  }
}
