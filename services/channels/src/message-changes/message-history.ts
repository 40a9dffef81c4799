/** Tells the history of a message from what it is now and what was changed; no I/O. */
import type { ReplyOf } from '@parley/contracts'
import type { getMessageHistory } from '@parley/contracts/channels/message-changes'
import { type EditHistoryPolicy, shownHistory } from '../messages/edit-history.ts'
import type { StoredMessage } from '../messages/message-store.ts'
import { diffBudget, htmlDiff } from './html-diff.ts'

type Entry = ReplyOf<typeof getMessageHistory>['message_history'][number]

/** Oldest first; the first entry is the message as it was sent. Each entry says what the message was after the change. */
export const historyOf = (
  message: Pick<
    StoredMessage,
    'topic' | 'content' | 'rendered_content' | 'edit_history' | 'sender_id' | 'sent_at'
  >,
  policy: EditHistoryPolicy,
): Entry[] => {
  const entries: Entry[] = []
  const budget = diffBudget()
  let { topic, content, rendered_content } = message
  for (const change of shownHistory(message.edit_history, policy) ?? []) {
    const { prev_topic, prev_content, prev_rendered_content, topic: _, ...rest } = change
    entries.push({
      ...rest,
      topic,
      content,
      rendered_content,
      ...(prev_topic === undefined ? {} : { prev_topic }),
      ...(prev_content === undefined ? {} : { prev_content }),
      ...(prev_rendered_content === undefined
        ? {}
        : {
            prev_rendered_content,
            content_html_diff: htmlDiff(prev_rendered_content, rendered_content, budget),
          }),
    })
    topic = prev_topic ?? topic
    content = prev_content ?? content
    rendered_content = prev_rendered_content ?? rendered_content
  }
  entries.push({ topic, content, rendered_content, user_id: message.sender_id, timestamp: message.sent_at })
  return entries.reverse()
}
