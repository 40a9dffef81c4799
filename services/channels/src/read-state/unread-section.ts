import { limits } from '@parley/contracts'
import { unreadSection as contract } from '@parley/contracts/channels/sections'
import { shownTopic } from '@parley/contracts/objects/message'
import { isUnreadAfterMark, unreadExceptionHits } from '../narrows/conditions.ts'
import { personalHistory, unbounded } from '../narrows/history.ts'
import { nearestIds } from '../narrows/nearest.ts'
import { readerOf } from '../narrows/reader.ts'
import { section } from '../room.ts'
import { unreadMessages } from './unread-store.ts'

export const unreadSection = section(
  contract,
  async ({ caller, options, sql, deps }) => {
    const { person } = await readerOf(deps, caller, sql)
    const history = await personalHistory(sql, person)
    const found = await nearestIds(
      sql,
      [
        { history, part: 'after marks', conditions: [isUnreadAfterMark(sql, person.id)] },
        { history, conditions: [], hits: unreadExceptionHits(sql, person.id) },
      ],
      { place: unbounded, side: 'older', count: limits.maxUnreadMessages + 1 },
    )
    const unread = await unreadMessages(sql, person.id, found.slice(0, limits.maxUnreadMessages))
    const pms = new Map<number, number[]>()
    const huddles = new Map<string, number[]>()
    const streams = new Map<string, { stream_id: number; topic: string; unread_message_ids: number[] }>()
    const mentions: number[] = []
    let count = 0
    for (const message of unread) {
      const { id, channel_id, user_ids } = message
      if (!message.is_muted) count += 1
      if (message.is_mentioned || (message.is_wildcard_mentioned && !message.is_muted)) mentions.push(id)
      if (channel_id !== null) {
        const key = `${channel_id}/${message.topic.toLowerCase()}`
        const known = streams.get(key)
        if (known !== undefined) known.unread_message_ids.push(id)
        else {
          const topic = shownTopic(message.topic, {
            empty_topic_name: options.client_capabilities?.empty_topic_name ?? false,
          })
          streams.set(key, { stream_id: channel_id, topic, unread_message_ids: [id] })
        }
      } else if (user_ids!.length > 2) {
        const key = user_ids!.join()
        addTo(huddles, key, id)
      } else {
        const other = user_ids!.find((userId) => userId !== person.id) ?? person.id
        addTo(pms, other, id)
      }
    }
    return {
      unread_msgs: {
        count,
        pms: [...pms].map(([other_user_id, unread_message_ids]) => ({
          other_user_id,
          sender_id: other_user_id,
          unread_message_ids,
        })),
        streams: [...streams.values()],
        huddles: [...huddles].map(([user_ids_string, unread_message_ids]) => ({
          user_ids_string,
          unread_message_ids,
        })),
        mentions,
        old_unreads_missing: found.length > limits.maxUnreadMessages,
      },
    }
  },
  async () => ({
    unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [], old_unreads_missing: false },
  }),
)

const addTo = <Key>(lists: Map<Key, number[]>, key: Key, id: number): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [id])
  else list.push(id)
}
