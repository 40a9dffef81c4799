import { ApiError } from '@parley/contracts'
import type { Tx } from '@parley/kit'
import { sendText, type Wish } from '../messages/send-text.ts'
import type { Deps } from '../room.ts'
import { actingBot } from '../scheduler/callers.ts'
import type { DueWork } from '../scheduler/due-work.ts'
import { senderIn, withSender } from '../scheduler/senders.ts'
import { takeDue } from '../scheduler/take-due.ts'
import { claimNotice, type Notice, putOffNotice, removeNotice, secondsToNextNotice } from './notice-store.ts'
import { makeQuiet, newsFor } from './quiet-notices.ts'

const maxAttempts = 6

/** Sends what system bots have to say, each notice once. */
export const noticeWork = (deps: Deps): DueWork => {
  const { database, log } = deps
  return {
    name: 'notice',
    takeOne: () =>
      takeDue<Notice>({
        name: 'notice',
        database,
        log,
        claim: claimNotice,
        perform: (tx, notice) => send(deps, tx, notice),
        putOff: (sql, id) => putOffNotice(sql, id, maxAttempts),
      }),
    secondsToNext: () => database.guard(secondsToNextNotice(database.sql)),
  }
}

/** A notice that cannot be sent any more (its channel is archived, its reader gone) has lost its sense. */
const send = async (deps: Deps, tx: Tx, notice: Notice): Promise<string> => {
  await removeNotice(tx.sql, notice.id)
  try {
    const { channel_id, topic } = notice
    const users =
      notice.is_quiet && channel_id !== null ? await newsFor(tx.sql, channel_id, topic ?? '') : undefined
    const id = await sendAsBot(withSender(deps, senderIn(tx, deps.database)), { ...notice, newsFor: users })
    if (users !== undefined) await makeQuiet(tx.sql, id, users)
    return 'sent'
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    deps.log.warn({ notice: notice.id, reason: error.message }, 'a notice has no place to go')
    return 'refused'
  }
}

/** @throws ApiError of POST /messages. */
export const sendAsBot = async (
  deps: Deps,
  notice: Pick<Notice, 'realm_id' | 'bot' | 'channel_id' | 'topic' | 'user_ids' | 'content'> &
    Pick<Wish, 'newsFor'>,
): Promise<number> => {
  const { caller, sender } = await actingBot(deps, notice.realm_id, notice.bot)
  const { id } = await sendText(deps, caller, sender, {
    to: notice.channel_id ?? notice.user_ids!,
    isDirect: notice.channel_id === null,
    topic: notice.topic ?? undefined,
    content: notice.content,
    readBySender: true,
    newsFor: notice.newsFor,
    localName: undefined,
  })
  return id
}
