import { z } from 'zod'
import type { ClientShape } from '../client-shape.ts'
import { event } from '../event.ts'
import { Channel, InheritedNotifications, Subscription, withoutNull } from '../objects/channel.ts'

const withoutArchived = <C extends { readonly is_archived: boolean }>(
  channels: readonly C[],
  client: ClientShape,
): readonly C[] =>
  client.capabilities.archived_channels ? channels : channels.filter((one) => !one.is_archived)

/**
 * Channels came into being, or became visible. Sent before any event that names them. Clients that do not know archived
 * channels are not told of these.
 */
export const streamCreate = event({
  type: 'stream',
  op: 'create',
  fields: { streams: z.array(Channel) },
  shape: (event, client) => {
    const streams = withoutArchived(event.streams as Channel[], client)
    return streams.length === 0 ? [] : [{ ...event, streams }]
  },
})

/** Channels were archived, or are no longer the recipient's to see. `streams` is the legacy form. */
export const streamDelete = event({
  type: 'stream',
  op: 'delete',
  fields: {
    stream_ids: z.array(z.int()),
    streams: z.array(z.strictObject({ stream_id: z.int() })),
  },
})

/**
 * One property of a channel changed; `name` is the channel's before the change. `channel`, written down when a channel was
 * archived or comes back, is for clients that do not know archived ones: to them it goes and comes ("else stream
 * create/delete stand in").
 */
export const streamUpdate = event({
  type: 'stream',
  op: 'update',
  fields: {
    stream_id: z.int(),
    name: z.string(),
    property: z.string(),
    value: z.json(),
    rendered_description: z.string().optional(),
    history_public_to_subscribers: z.boolean().optional(),
    is_web_public: z.boolean().optional(),
    channel: Channel.optional(),
    /** Whether the channel is one that clients without the capability do not see. */
    is_archived: z.boolean().optional(),
  },
  shape: (written, client) => {
    const { channel, is_archived, ...update } = written
    if (client.capabilities.archived_channels) return [update]
    if (channel === undefined) return is_archived === true ? [] : [update]
    const { stream_id } = update
    return update.value === true
      ? [{ type: 'stream', op: 'delete', stream_ids: [stream_id], streams: [{ stream_id }] }]
      : [{ type: 'stream', op: 'create', streams: [channel] }]
  },
})

/**
 * `stands_in`: only for clients to which an archived channel has just come back. `inherited`: what null settings mean to the
 * recipients, for clients that do not know null.
 */
export const subscriptionAdd = event({
  type: 'subscription',
  op: 'add',
  fields: {
    subscriptions: z.array(Subscription),
    stands_in: z.literal(true).optional(),
    inherited: InheritedNotifications.optional(),
  },
  shape: (written, client) => {
    const { stands_in, inherited, ...event } = written
    if (stands_in === true && client.capabilities.archived_channels) return []
    const known = withoutArchived(event.subscriptions as Subscription[], client)
    if (known.length === 0) return []
    const isFilledIn = inherited !== undefined && !client.capabilities.notification_settings_null
    const own = inherited as InheritedNotifications
    const shown = isFilledIn ? known.map((one) => withoutNull(one, own)) : known
    // "subscribers (integer array of user IDs; only when include_subscribers is true)"
    const subscriptions =
      client.include_subscribers === false ? shown.map(({ subscribers: _, ...one }) => one) : shown
    return [{ ...event, subscriptions }]
  },
})

/** Channels that are archived, of which clients without the capability know nothing. */
const archivedIds = { archived_stream_ids: z.array(z.int()).optional() }

/** Those of `ids` that a client knows of. */
const knownIds = (
  ids: readonly number[],
  archived: readonly number[],
  client: ClientShape,
): readonly number[] =>
  client.capabilities.archived_channels ? ids : ids.filter((id) => !archived.includes(id))

export const subscriptionRemove = event({
  type: 'subscription',
  op: 'remove',
  fields: {
    subscriptions: z.array(z.strictObject({ stream_id: z.int(), name: z.string() })),
    ...archivedIds,
  },
  shape: (written, client) => {
    const { archived_stream_ids = [], ...event } = written
    const all = event.subscriptions as { stream_id: number }[]
    const ids = all.map(({ stream_id }) => stream_id)
    const known = new Set(knownIds(ids, archived_stream_ids as number[], client))
    const subscriptions = all.filter(({ stream_id }) => known.has(stream_id))
    return subscriptions.length === 0 ? [] : [{ ...event, subscriptions }]
  },
})

/** The recipient changed a setting of an own subscription. `inherited`: what null means, as in subscription/add. */
export const subscriptionUpdate = event({
  type: 'subscription',
  op: 'update',
  fields: {
    stream_id: z.int(),
    property: z.string(),
    value: z.union([z.boolean(), z.string(), z.null()]),
    inherited: z.boolean().optional(),
    is_archived: z.literal(true).optional(),
  },
  shape: (written, client) => {
    const { inherited, is_archived, ...event } = written
    if (is_archived === true && !client.capabilities.archived_channels) return []
    const isFilledIn = event.value === null && !client.capabilities.notification_settings_null
    return [isFilledIn ? { ...event, value: inherited ?? null } : event]
  },
})

const peers = {
  stream_ids: z.array(z.int()),
  user_ids: z.array(z.int()),
  ...archivedIds,
  /** As in subscription/add. */
  stands_in: z.literal(true).optional(),
}

const shapedPeers = (written: Record<string, unknown>, client: ClientShape): Record<string, unknown>[] => {
  const { archived_stream_ids = [], stands_in, ...event } = written
  if (stands_in === true && client.capabilities.archived_channels) return []
  const stream_ids = knownIds(event.stream_ids as number[], archived_stream_ids as number[], client)
  return stream_ids.length === 0 ? [] : [{ ...event, stream_ids }]
}

/** Other people subscribed to channels that the recipient can see the members of. */
export const subscriptionPeerAdd = event({
  type: 'subscription',
  op: 'peer_add',
  fields: peers,
  shape: shapedPeers,
})

/** Other people left channels that the recipient can see the members of. */
export const subscriptionPeerRemove = event({
  type: 'subscription',
  op: 'peer_remove',
  fields: peers,
  shape: shapedPeers,
})
