import { dropMessages, edit, keepMessage, react, star } from './held-messages.ts'
import { difference, type Thing, union } from './lists.ts'
import type { Entry } from './model.ts'
import { moveUnread, withoutUnread, withUnread } from './unread.ts'

const changeFlags: Entry = (state, { op, flag, messages, all, message_details }) => {
  if (flag === 'starred' && state.starred_messages !== undefined) {
    const change = op === 'add' ? union : difference
    state.starred_messages = change(state.starred_messages, messages)
  }
  if (flag === 'starred') star(state, messages, op === 'add')
  if (flag !== 'read' || state.unread_msgs === undefined) return
  if (op === 'add') withoutUnread(state, all ? undefined : messages)
  else
    for (const [id, details] of Object.entries((message_details ?? {}) as Record<string, Thing>))
      withUnread(state, Number(id), details)
}

export const messageEntries: Readonly<Record<string, Entry>> = {
  message: (state, { message, flags }) => {
    keepMessage(state, message, flags)
    if (state.max_message_id !== undefined) state.max_message_id = Math.max(state.max_message_id, message.id)
    if (state.unread_msgs === undefined || flags.includes('read')) return
    const others = message.display_recipient as { id: number }[] | string
    withUnread(state, message.id, {
      ...(typeof others === 'string'
        ? { type: 'stream', stream_id: message.stream_id, topic: message.subject }
        : {
            type: 'private',
            user_ids: others.map(({ id }) => id).filter((id) => id !== state.user_id),
          }),
      mentioned: flags.includes('mentioned') || flags.includes('wildcard_mentioned'),
    })
  },
  'update_message_flags/add': changeFlags,
  'update_message_flags/remove': changeFlags,
  delete_message: (state, { message_ids, message_id }) => {
    const gone = message_ids ?? [message_id]
    dropMessages(state, gone)
    if (state.unread_msgs !== undefined) withoutUnread(state, gone)
    if (state.starred_messages !== undefined)
      state.starred_messages = difference(state.starred_messages, gone)
  },
  update_message: (state, event) => {
    edit(state, event)
    const { message_ids, new_stream_id, subject } = event
    if (state.unread_msgs !== undefined && (new_stream_id !== undefined || subject !== undefined)) {
      moveUnread(state, message_ids, { stream_id: new_stream_id, topic: subject })
    }
  },
  'reaction/add': (state, event) => react(state, event, true),
  'reaction/remove': (state, event) => react(state, event, false),
  submessage: { leavesStateAlone: 'part of messages, which are fetched by calls of their own' },
  'attachment/add': { leavesStateAlone: 'listed by a call of their own' },
  'attachment/update': { leavesStateAlone: 'listed by a call of their own' },
  'attachment/remove': { leavesStateAlone: 'listed by a call of their own' },
}
