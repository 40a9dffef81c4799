/** The summary of unread messages (`unread_msgs`), kept as clients keep it. */
import type { Thing } from './lists.ts'
import type { State } from './model.ts'

const sections = ['pms', 'streams', 'huddles'] as const

const conversationOf = (state: State, details: Thing): { section: string; key: Thing } => {
  if (details.type === 'stream') {
    return { section: 'streams', key: { stream_id: details.stream_id, topic: details.topic } }
  }
  const people = details.user_ids as number[]
  if (people.length < 2) {
    const other = people[0] ?? state.user_id
    return { section: 'pms', key: { other_user_id: other, sender_id: other } }
  }
  const all = [...people, state.user_id].sort((one, other) => one - other)
  return { section: 'huddles', key: { user_ids_string: all.join(',') } }
}

const isSame = (conversation: Thing, key: Thing): boolean =>
  Object.entries(key).every(([name, value]) =>
    name === 'topic'
      ? conversation.topic.toLowerCase() === value.toLowerCase()
      : conversation[name] === value,
  )

/** Drops these messages; all of them when undefined. */
export const withoutUnread = ({ unread_msgs }: State, gone: readonly number[] | undefined): void => {
  const stays = (id: number): boolean => gone !== undefined && !gone.includes(id)
  for (const section of sections) {
    unread_msgs[section] = unread_msgs[section]
      .map((conversation: Thing) => ({
        ...conversation,
        unread_message_ids: conversation.unread_message_ids.filter(stays),
      }))
      .filter(({ unread_message_ids }: Thing) => unread_message_ids.length > 0)
  }
  unread_msgs.mentions = unread_msgs.mentions.filter(stays)
  unread_msgs.count = countOf(unread_msgs)
}

/** Messages were moved: what of them is unread is unread in its new place. */
export const moveUnread = (state: State, ids: readonly number[], to: Thing): void => {
  const { unread_msgs } = state
  const moved = (unread_msgs.streams as Thing[]).flatMap(({ stream_id, topic, unread_message_ids }) =>
    (unread_message_ids as number[])
      .filter((id) => ids.includes(id))
      .map((id) => ({ id, place: { stream_id: to.stream_id ?? stream_id, topic: to.topic ?? topic } })),
  )
  for (const { id, place } of moved) {
    const mentioned = unread_msgs.mentions.includes(id)
    withUnread(state, id, { type: 'stream', ...place, mentioned })
  }
}

export const withUnread = (state: State, id: number, details: Thing): void => {
  withoutUnread(state, [id])
  const { unread_msgs } = state
  const { section, key } = conversationOf(state, details)
  const known = unread_msgs[section].find((conversation: Thing) => isSame(conversation, key))
  if (known === undefined) unread_msgs[section].push({ ...key, unread_message_ids: [id] })
  else known.unread_message_ids.push(id)
  if (details.mentioned === true) unread_msgs.mentions.push(id)
  unread_msgs.count = countOf(unread_msgs)
}

const countOf = (unread: Thing): number =>
  sections
    .flatMap((section) => unread[section] as Thing[])
    .reduce((count, { unread_message_ids }) => count + unread_message_ids.length, 0)
