import { ApiError, type KnownCaller, type ReplyOf, refuse } from '@parley/contracts'
import type { sendMessage } from '@parley/contracts/channels/messages'
import { isSystemBot } from '@parley/contracts/identity/system-bots'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { ChannelRow } from '../channels/channel-store.ts'
import { areGuestsLimited, guestsInChannelWithout } from '../directory/company.ts'
import { linkifiersOf } from '../directory/realm-linkifiers.ts'
import type { Realm } from '../directory/realm-store.ts'
import { isGuest } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor, isNamed } from '../permissions/find-actor.ts'
import type { Deps } from '../room.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'
import { type ChannelReference, channelReference, type Recipients } from './addressing.ts'
import { channelMessageLinks, unnamedChannelLinks } from './message-links.ts'
import { messageTopic } from './message-rules.ts'
import { channelMessage, type Writing } from './outgoing-message.ts'
import { topicParticipants } from './topic-participants.ts'
import { demandTopic } from './topic-permission.ts'
import { demandMayCallMany } from './wildcard-permission.ts'

/** Guests in the channel who may not know the sender; asked only where guests are limited. */
const guestsWithoutSender = async (
  { database }: Pick<Deps, 'database'>,
  realm: Realm,
  channelId: number,
  sender: UserFact,
): Promise<number[]> =>
  areGuestsLimited(realm) && sender.bot_type === null
    ? database.guard(guestsInChannelWithout(database.sql, channelId, sender.id))
    : []

/** How often a channel may change under a sender before the sender is told to come back. */
const maxLooks = 5

/**
 * Sends to a channel. Members of an organization need not be subscribed to its public channels; private ones take messages
 * of subscribers and their bots only, and guests send only where they are subscribed.
 */
export const sendToChannel = async (
  deps: Pick<Deps, 'database' | 'realms' | 'users' | 'channels' | 'sender'>,
  writing: Writing,
  to: Recipients,
  sentTopic: string | undefined,
): Promise<ReplyOf<typeof sendMessage>> => {
  const { caller, rendered } = writing
  const reference = channelReference(to)
  const topic = messageTopic(sentTopic)
  const realm = await deps.realms.get(caller.realm.id)
  for (let look = 0; look < maxLooks; look += 1) {
    const channel = await findChannel(deps, caller.realm.id, reference)
    if (channel === undefined) throw noSuchChannel(reference)
    const forOwner = await writesForOwner(deps, channel, caller, writing.sender)
    const membersOnly = !forOwner && isForMembersOnly(channel, caller)
    const finding = await sendingFinding(deps, realm, channel, caller.user)
    if (finding !== undefined) {
      const isHidden = membersOnly && !(await isSubscribed(deps, channel.id, caller.user.id))
      throw isHidden
        ? await notForOutsiders(deps, realm, reference, channel, caller)
        : refuse('BAD_REQUEST', finding)
    }
    const { wildcards } = rendered.mentions
    const participants = wildcards.includes('topic')
      ? await deps.database.guard(topicParticipants(deps.database.sql, channel.id, topic))
      : []
    try {
      await demandMayCallMany(deps, realm, caller.user, {
        ...(wildcards.includes('channel') ? { channel: channel.subscriber_count } : {}),
        topic: participants.length,
      })
      if (!isSystemBot(caller.user.id)) {
        await demandTopic(deps, { realm, channel, topic }, caller.user, deps.database.sql)
      }
    } catch (error) {
      // What a channel takes is told to nobody who may not know of it.
      if (!membersOnly || (await isSubscribed(deps, channel.id, caller.user.id))) throw error
      throw await notForOutsiders(deps, realm, reference, channel, caller)
    }
    const strangers = await guestsWithoutSender(deps, realm, channel.id, writing.sender)
    const links = linkifiersOf(realm)
    const sent = await deps.sender.send(
      channelMessage(writing, channel, topic, membersOnly, participants, links, strangers),
    )
    if (sent.id !== null) {
      return {
        id: sent.id,
        ...(sent.new_policy === null ? {} : { automatic_new_visibility_policy: sent.new_policy }),
        ...(forOwner && !mayKnowChannel(await findActor(deps, caller.user, realm), channel, false)
          ? unnamedChannelLinks(caller.realm.url, channel.id, topic, sent.id)
          : channelMessageLinks(caller.realm.url, channel, topic, sent.id)),
      }
    }
    if (sent.outcome === 'not_member') throw await notForOutsiders(deps, realm, reference, channel, caller)
    // It is not what memory said: look again.
    deps.channels.forget(channel.id)
  }
  throw new ApiError(
    'SERVER_NOT_READY',
    'The channel is being changed. Please try again.',
    {},
    { 'retry-after': '1' },
  )
}

/**
 * Holds who may send to a channel, for what is near to sending but stores nothing.
 *
 * @throws ApiError as {@link sendToChannel} would.
 */
export const demandMaySend = async (
  deps: Pick<Deps, 'database' | 'realms' | 'users' | 'channels'>,
  caller: KnownCaller,
  channelId: number,
): Promise<void> => {
  const reference = { id: channelId }
  // What memory holds may be older than what is stored, and here nothing looks again afterwards.
  deps.channels.forget(channelId)
  const channel = await findChannel(deps, caller.realm.id, reference)
  if (channel === undefined) throw noSuchChannel(reference)
  const realm = await deps.realms.get(caller.realm.id)
  if (isForMembersOnly(channel, caller) && !(await isSubscribed(deps, channel.id, caller.user.id))) {
    throw await notForOutsiders(deps, realm, reference, channel, caller)
  }
  const finding = await sendingFinding(deps, realm, channel, caller.user)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
}

/** Members of the organization may send to public channels unsubscribed; system bots wherever they have news. */
const isForMembersOnly = (channel: ChannelRow, { user }: KnownCaller): boolean =>
  (channel.invite_only || isGuest(user)) && !isSystemBot(user.id)

/** Bots write wherever their owner is a member, though they cannot read there. */
const writesForOwner = async (
  deps: Pick<Deps, 'database'>,
  channel: ChannelRow,
  caller: KnownCaller,
  { id, bot_owner_id }: UserFact,
): Promise<boolean> =>
  bot_owner_id !== null &&
  isForMembersOnly(channel, caller) &&
  !(await isSubscribed(deps, channel.id, id)) &&
  (await isSubscribed(deps, channel.id, bot_owner_id))

const findChannel = (
  deps: Pick<Deps, 'channels'>,
  realmId: number,
  reference: ChannelReference,
): Promise<ChannelRow | undefined> =>
  'id' in reference
    ? deps.channels.byId(realmId, reference.id)
    : deps.channels.byName(realmId, reference.name)

const noSuchChannel = (reference: ChannelReference): ApiError =>
  'id' in reference
    ? refuse('STREAM_WITH_ID_DOES_NOT_EXIST', `Channel with ID '${reference.id}' does not exist`, {
        stream_id: reference.id,
      })
    : refuse('STREAM_DOES_NOT_EXIST', `Channel '${reference.name}' does not exist`, {
        stream: reference.name,
      })

/** Why nobody like the sender can send here, subscribed or not. */
const sendingFinding = async (
  deps: Pick<Deps, 'database' | 'users'>,
  realm: Realm,
  channel: ChannelRow,
  sender: Writing['caller']['user'],
): Promise<string | undefined> => {
  if (channel.is_archived) return `Not authorized to send to channel '${channel.name}'`
  if (isSystemBot(sender.id)) return undefined
  if (!(await isNamed(deps, sender, realm, channel.group_settings.can_send_message_group))) {
    return 'You do not have permission to post in this channel.'
  }
  return undefined
}

/** The answer to somebody who is not in the channel: whoever may not know of it hears that there is none. */
const notForOutsiders = async (
  deps: Pick<Deps, 'database' | 'users'>,
  realm: Realm,
  reference: ChannelReference,
  channel: ChannelRow,
  caller: KnownCaller,
): Promise<ApiError> =>
  mayKnowChannel(await findActor(deps, caller.user, realm), channel, false)
    ? refuse('BAD_REQUEST', `Not authorized to send to channel '${channel.name}'`)
    : noSuchChannel(reference)

const isSubscribed = async (
  { database }: Pick<Deps, 'database'>,
  channelId: number,
  userId: number,
): Promise<boolean> =>
  (await database.guard(currentMemberships(database.sql, [channelId], [userId]))).length > 0
