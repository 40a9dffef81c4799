/** Lists of people by whom many channels are known, each made a set once. */
export const knownSets = (): ((people: readonly number[]) => ReadonlySet<number>) => {
  const sets = new Map<readonly number[], ReadonlySet<number>>()
  return (people) => {
    const known = sets.get(people) ?? new Set(people)
    sets.set(people, known)
    return known
  }
}

/** Of some channels, who came into them or left them, for those who are told it. */
export interface PeerNews {
  readonly users: number[]
  readonly stream_ids: number[]
  readonly user_ids: number[]
}

/**
 * Tells everybody else who sees the members of channels that people (`user_ids`) came or went: those who know of the
 * channel anyway (`strangers`: one list for all channels that are known to the same people) and its `members`. Channels
 * with the same news for the same people share it. The many of an organization are walked once, not once per channel.
 */
export const peerNews = (
  changes: readonly { readonly stream_id: number; readonly user_ids: readonly number[] }[],
  strangers: ReadonlyMap<number, readonly number[]>,
  members: ReadonlyMap<number, readonly number[]>,
): PeerNews[] => {
  const setOf = knownSets()
  const places = new Map<readonly number[], number>()
  const news = new Map<string, PeerNews>()
  for (const { stream_id, user_ids } of changes) {
    if (user_ids.length === 0) continue
    const knowing = strangers.get(stream_id)!
    const place = places.get(knowing) ?? places.size
    places.set(knowing, place)
    const besides = (members.get(stream_id) ?? []).filter((id) => !setOf(knowing).has(id))
    const key = `${place}/${besides.join()}/${user_ids.join()}`
    const same = news.get(key)
    if (same !== undefined) same.stream_ids.push(stream_id)
    else {
      const concerned = new Set(user_ids)
      const users = [...knowing, ...besides].filter((id) => !concerned.has(id))
      news.set(key, { users, stream_ids: [stream_id], user_ids: [...user_ids] })
    }
  }
  return [...news.values()].filter(({ users }) => users.length > 0)
}
