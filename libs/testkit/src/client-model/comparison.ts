/** What two states are compared by: all that events keep up to date, in one order. */
import type { Thing } from './lists.ts'
import type { State } from './model.ts'

/** Of the moment, of the registration itself, or of the server: no event says them. */
const incomparable = new Set([
  'queue_id',
  'last_event_id',
  'presences',
  'presence_last_update_id',
  'server_timestamp',
  'server_generation',
  'recent_private_conversations',
  // Messages also come by being moved to where the reader is, and the newest may be deleted.
  'max_message_id',
  // What the caller may do: clients follow it by the settings, the groups and the role, which are told.
  'can_create_streams',
  'can_create_private_streams',
  'can_create_public_streams',
  'can_create_web_public_streams',
  'can_subscribe_other_users',
  'can_invite_others_to_realm',
  // Numbers for clients of long ago, which follow from permissions that are told.
  'realm_create_public_stream_policy',
  'realm_create_private_stream_policy',
  'realm_create_web_public_stream_policy',
  'realm_wildcard_mention_policy',
])

/** Fields of channels that are computed now and then, and fields that no event tells. */
const untold = new Set([
  'is_deleted',
  'stream_weekly_traffic',
  'subscriber_count',
  'first_message_id',
  'color',
  'partial_subscribers',
])

/** What is unread, by message: where it is. How many count is for clients to say, by what is muted. */
const unreadPlaces = ({ pms, streams, huddles, mentions }: Thing): Thing => {
  const places = (conversations: readonly Thing[], placeOf: (conversation: Thing) => string) =>
    conversations.flatMap((one) =>
      (one.unread_message_ids as number[]).map((id) => [String(id), placeOf(one)] as const),
    )
  return {
    mentions,
    places: Object.fromEntries([
      ...places(pms, ({ other_user_id }) => `with ${other_user_id}`),
      ...places(huddles, ({ user_ids_string }) => `among ${user_ids_string}`),
      ...places(streams, ({ stream_id, topic }) => `in ${stream_id}, ${topic.toLowerCase()}`),
    ]),
  }
}

const keyOf = (thing: unknown): string => {
  if (typeof thing !== 'object' || thing === null) return String(thing).padStart(20, '0')
  const { id, user_id, stream_id, fragment, domain, topic, topic_name } = thing as Thing
  return [id ?? user_id ?? stream_id ?? fragment ?? domain, topic ?? String(topic_name ?? '').toLowerCase()]
    .map((part) => String(part ?? '').padStart(20, '0'))
    .join(' ')
    .concat(id === undefined && user_id === undefined && stream_id === undefined ? JSON.stringify(thing) : '')
}

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map(canonical).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !untold.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      // A topic is the same one however its name is written.
      .map(([name, part]) => [name, name === 'topic_name' ? String(part).toLowerCase() : canonical(part)]),
  )
}

const comparable = ({ unread_msgs, ...state }: State): State =>
  canonical({
    ...Object.fromEntries(Object.entries(state).filter(([name]) => !incomparable.has(name))),
    ...(unread_msgs === undefined ? {} : { unread_msgs: unreadPlaces(unread_msgs) }),
  }) as State

const isPlain = (value: unknown): value is Thing => typeof value === 'object' && value !== null

const walk = (model: unknown, truth: unknown, path: string, found: string[]): void => {
  if (Object.is(model, truth)) return
  if (isPlain(model) && isPlain(truth) && Array.isArray(model) === Array.isArray(truth)) {
    for (const name of new Set([...Object.keys(model), ...Object.keys(truth)])) {
      walk(model[name], truth[name], `${path}.${name}`, found)
    }
  } else found.push(`${path}: the model has ${JSON.stringify(model)}, the truth is ${JSON.stringify(truth)}`)
}

/** Where a client's model departs from the truth, a line each; the first twenty. */
export const differences = (model: State, truth: State): string[] => {
  const found: string[] = []
  walk(comparable(model), comparable(truth), 'state', found)
  return found.slice(0, 20)
}
