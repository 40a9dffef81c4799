import { z } from 'zod'
import type { ClientShape } from '../client-shape.ts'
import { event } from '../event.ts'
import { Channel, Subscription } from '../objects/channel.ts'

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

/** `stands_in`: only for clients to which an archived channel has just come back. */
export const subscriptionAdd = event({
  type: 'subscription',
  op: 'add',
  fields: { subscriptions: z.array(Subscription), stands_in: z.literal(true).optional() },
  shape: (written, client) => {
    const { stands_in, ...event } = written
    if (stands_in === true && client.capabilities.archived_channels) return []
    const subscriptions = withoutArchived(event.subscriptions as Subscription[], client)
    return subscriptions.length === 0 ? [] : [{ ...event, subscriptions }]
  },
})

export const subscriptionRemove = event({
  type: 'subscription',
  op: 'remove',
  fields: { subscriptions: z.array(z.strictObject({ stream_id: z.int(), name: z.string() })) },
})

/** The recipient changed a setting of an own subscription. */
export const subscriptionUpdate = event({
  type: 'subscription',
  op: 'update',
  fields: {
    stream_id: z.int(),
    property: z.string(),
    value: z.union([z.boolean(), z.string(), z.null()]),
  },
})

const peers = { stream_ids: z.array(z.int()), user_ids: z.array(z.int()) }

/** Other people subscribed to channels that the recipient can see the members of. */
export const subscriptionPeerAdd = event({ type: 'subscription', op: 'peer_add', fields: peers })

/** Other people left channels that the recipient can see the members of. */
export const subscriptionPeerRemove = event({ type: 'subscription', op: 'peer_remove', fields: peers })
