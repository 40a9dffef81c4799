import { changeThing, difference, type Thing, union, withoutThing, withThing } from './lists.ts'
import type { Entry, State } from './model.ts'

const lists = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const
const all = [...lists, 'streams'] as const

const find = (state: State, streamId: number): { list: string; channel: Thing } | undefined => {
  for (const list of lists) {
    const channel = state[list]?.find(({ stream_id }: Thing) => stream_id === streamId)
    if (channel !== undefined) return { list, channel }
  }
  return undefined
}

const changeSubscribers = (
  state: State,
  streamIds: readonly number[],
  change: (known: number[]) => number[],
): void => {
  for (const streamId of streamIds) {
    const channel = find(state, streamId)?.channel
    if (channel === undefined) continue
    for (const field of ['subscribers', 'partial_subscribers']) {
      if (channel[field] !== undefined) channel[field] = change(channel[field])
    }
  }
}

const put = (state: State, list: string, channel: Thing): void => {
  for (const other of lists) {
    if (other !== list) state[other] = withoutThing(state[other], 'stream_id', channel.stream_id)
  }
  state[list] = withThing(state[list], 'stream_id', channel)
}

export const channelEntries: Readonly<Record<string, Entry>> = {
  'stream/create': (state, { streams }) => {
    for (const channel of streams as Thing[]) {
      // Who is in it is told by `peer_add`.
      const known = find(state, channel.stream_id)
      if (known === undefined) put(state, 'never_subscribed', { ...channel, subscribers: [] })
      state.streams = withThing(state.streams, 'stream_id', channel)
    }
  },
  'stream/update': (state, { stream_id, property, value, id: _, type: __, op: ___, name: ____, ...more }) => {
    for (const list of all) changeThing(state[list], 'stream_id', stream_id, { [property]: value, ...more })
  },
  'stream/delete': (state, { stream_ids }) => {
    for (const list of all) {
      for (const id of stream_ids as number[]) state[list] = withoutThing(state[list], 'stream_id', id)
    }
  },
  'subscription/add': (state, { subscriptions }) => {
    for (const channel of subscriptions as Thing[]) put(state, 'subscriptions', { ...channel })
  },
  'subscription/remove': (state, { subscriptions }) => {
    for (const { stream_id } of subscriptions as Thing[]) {
      const channel = find(state, stream_id)?.channel
      if (channel === undefined) continue
      const subscribers = channel.subscribers && difference(channel.subscribers, [state.user_id])
      put(state, 'unsubscribed', { ...channel, ...(subscribers === undefined ? {} : { subscribers }) })
    }
  },
  'subscription/update': (state, { stream_id, property, value }) =>
    changeThing(state.subscriptions, 'stream_id', stream_id, { [property]: value }),
  'subscription/peer_add': (state, { stream_ids, user_ids }) =>
    changeSubscribers(state, stream_ids, (known) => union(known, user_ids)),
  'subscription/peer_remove': (state, { stream_ids, user_ids }) =>
    changeSubscribers(state, stream_ids, (known) => difference(known, user_ids)),

  'channel_folder/add': (state, { channel_folder }) => {
    state.channel_folders = withThing(state.channel_folders, 'id', channel_folder)
  },
  'channel_folder/update': (state, { channel_folder_id, data }) =>
    changeThing(state.channel_folders, 'id', channel_folder_id, data),
  'channel_folder/reorder': (state, { order }) => {
    for (const [place, id] of (order as number[]).entries())
      changeThing(state.channel_folders, 'id', id, { order: place })
  },
  user_topic: (state, { id: _, type: __, ...topic }) => {
    const isSame = (one: Thing): boolean =>
      one.stream_id === topic.stream_id && one.topic_name.toLowerCase() === topic.topic_name.toLowerCase()
    const others = state.user_topics?.filter((one: Thing) => !isSame(one))
    if (others !== undefined) state.user_topics = topic.visibility_policy === 0 ? others : [...others, topic]
  },
  muted_topics: (state, { muted_topics }) => {
    if ('muted_topics' in state) state.muted_topics = muted_topics
  },
}
