/** What may be changed of a message, by whom, and for how long; no I/O. */
import { type ParamsOf, refuse } from '@parley/contracts'
import type { updateMessage } from '@parley/contracts/channels/message-changes'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { messageContent, messageTopic } from '../messages/message-rules.ts'
import type { StoredMessage } from '../messages/message-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayToMessages } from '../permissions/channel-permissions.ts'
import { mayInRealm, realmSetting } from '../permissions/realm-permissions.ts'

type Params = ParamsOf<typeof updateMessage>

/** What really changes; what is as it was is not among it. */
export interface Change {
  readonly content: string | undefined
  readonly topic: string | undefined
  readonly channelId: number | undefined
}

const resolvedPrefix = '✔ '
const noPermission = "You don't have permission to edit this message"

/** @throws ApiError BAD_REQUEST for parameters that cannot be together, or change nothing. */
export const wantedChange = (params: Params, message: StoredMessage): Change => {
  const { content, topic, stream_id } = params
  if (content === undefined && topic === undefined && stream_id === undefined) {
    throw refuse('BAD_REQUEST', 'Nothing to change')
  }
  if (params.propagate_mode !== 'change_one' && topic === undefined && stream_id === undefined) {
    throw refuse('BAD_REQUEST', 'Invalid propagate_mode without topic edit')
  }
  if (message.channel_id === null && topic !== undefined) {
    throw refuse('BAD_REQUEST', 'Direct messages cannot have topics.')
  }
  if (message.channel_id === null && stream_id !== undefined) {
    throw refuse('BAD_REQUEST', 'Direct messages cannot be moved to channels.')
  }
  // The channel that it is in already is no move (level 509).
  const channelId = stream_id === message.channel_id ? undefined : stream_id
  if (content !== undefined && channelId !== undefined) {
    throw refuse('BAD_REQUEST', 'Cannot change message content while changing channel')
  }
  const newTopic = topic === undefined ? undefined : messageTopic(topic)
  const isSameTopic = newTopic === message.topic
  // What is left of the mark before a topic without a name.
  if (message.topic === '' && newTopic === resolvedPrefix.trim()) {
    throw refuse('BAD_REQUEST', 'General chat cannot be marked as resolved')
  }
  if (content === undefined && channelId === undefined && (newTopic === undefined || isSameTopic)) {
    throw refuse('BAD_REQUEST', 'Nothing to change')
  }
  return {
    content: content === undefined ? undefined : editedContent(content),
    topic: isSameTopic ? undefined : newTopic,
    channelId,
  }
}

/** What a message says from now on; what is left of one that was emptied. */
export const editedContent = (sent: string): string =>
  sent.trim() === '' ? '(deleted)' : messageContent(sent)

/** Whether a topic only becomes resolved, or unresolved. */
export const resolution = (before: string, after: string): 'resolved' | 'unresolved' | undefined => {
  const bare = (topic: string): string => topic.replace(/^(?:✔ ?)+/, '')
  const wasResolved = before.startsWith(resolvedPrefix)
  const isResolved = after.startsWith(resolvedPrefix)
  if (wasResolved === isResolved) return undefined
  // A long topic is cut to make place for the mark.
  const [long, short] = isResolved ? [before, bare(after)] : [bare(before), after]
  const isSame = long === short || (short.endsWith('...') && long.startsWith(short.slice(0, -3)))
  return isSame ? (isResolved ? 'resolved' : 'unresolved') : undefined
}

/** Why somebody may not change a message's content, as a sentence; undefined when nothing speaks against it. */
export const contentEditFinding = (
  message: Pick<StoredMessage, 'sender_id' | 'sent_at'>,
  editorId: number,
  realm: Realm,
  now: number,
): string | undefined => {
  if (message.sender_id !== editorId) return noPermission
  if (!realmSetting(realm, 'allow_message_editing')) {
    return 'Your organization has turned off message editing'
  }
  const limit = realmSetting(realm, 'message_content_edit_limit_seconds')
  if (limit !== null && now - message.sent_at > limit) {
    return 'The time limit for editing this message has passed'
  }
  return undefined
}

/** @throws ApiError BAD_REQUEST unless the topic, or the channel, may be changed by this person. */
export const demandMayMove = (
  actor: Actor,
  realm: Realm,
  channel: ChannelRow,
  message: StoredMessage,
  change: Change,
): void => {
  const { topic, channelId } = change
  if (
    channelId !== undefined &&
    !mayToMessages(actor, realm, channel, 'can_move_messages_out_of_channel_group')
  ) {
    throw refuse('BAD_REQUEST', "You don't have permission to move this message")
  }
  if (topic === undefined) return
  const mayRename = mayToMessages(actor, realm, channel, 'can_move_messages_within_channel_group')
  if (resolution(message.topic, topic) !== undefined && channelId === undefined) {
    if (!mayToMessages(actor, realm, channel, 'can_resolve_topics_group')) {
      throw refuse('BAD_REQUEST', "You don't have permission to resolve topics.")
    }
  } else if (!mayRename) {
    throw refuse('BAD_REQUEST', noPermission)
  }
}

/** Seconds for which messages may be moved; undefined when there is no limit for this person and this move. */
export const moveLimit = (
  actor: Actor,
  realm: Realm,
  message: StoredMessage,
  { topic, channelId }: Change,
): number | undefined => {
  if (actor.role <= 300) return undefined
  const limits: number[] = []
  const isResolution = topic !== undefined && resolution(message.topic, topic) !== undefined
  if (topic !== undefined && !(isResolution && channelId === undefined)) {
    const limit = realmSetting(realm, 'move_messages_within_stream_limit_seconds')
    if (limit !== null) limits.push(limit)
  }
  if (channelId !== undefined) {
    const limit = realmSetting(realm, 'move_messages_between_streams_limit_seconds')
    if (limit !== null) limits.push(limit)
  }
  return limits.length === 0 ? undefined : Math.min(...limits)
}

/**
 * Holds the time limit of a move. `thread`: all messages of the topic that the mover can see, by ID, with their times;
 * needed for `change_all`.
 *
 * @throws ApiError BAD_REQUEST, or MOVE_MESSAGES_TIME_LIMIT_EXCEEDED where a part of the topic may be moved (level 505).
 */
export const demandInTime = (
  limit: number,
  message: Pick<StoredMessage, 'sent_at'>,
  thread: readonly { readonly id: number; readonly sent_at: number }[] | undefined,
  isChannelMove: boolean,
  now: number,
): void => {
  const isInTime = (sentAt: number): boolean => now - sentAt <= limit
  if (thread !== undefined) {
    const allowed = thread.filter((one) => isInTime(one.sent_at))
    if (allowed.length === thread.length) return
    if (allowed.length > 0) {
      const fields = {
        first_message_id_allowed_to_move: allowed[0]!.id,
        total_messages_in_topic: thread.length,
        total_messages_allowed_to_move: allowed.length,
      }
      throw refuse(
        'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
        `You only have permission to move the ${allowed.length}/${thread.length} most recent messages in this topic.`,
        fields,
      )
    }
  }
  if (isInTime(message.sent_at)) return
  throw refuse(
    'BAD_REQUEST',
    isChannelMove
      ? "The time limit for editing this message's channel has passed"
      : "The time limit for editing this message's topic has passed.",
  )
}

/** Why somebody may not delete a message, as a sentence. `channel` is undefined for direct messages. */
export const deletionFinding = (
  actor: Actor,
  realm: Realm,
  channel: ChannelRow | undefined,
  message: Pick<StoredMessage, 'sender_id' | 'sent_at'>,
  senderOwnerId: number | null,
  now: number,
): string | undefined => {
  const may = (name: 'can_delete_any_message_group' | 'can_delete_own_message_group'): boolean =>
    channel === undefined ? mayInRealm(actor, realm, name) : mayToMessages(actor, realm, channel, name)
  if (may('can_delete_any_message_group')) return undefined
  const isOwn = message.sender_id === actor.id || senderOwnerId === actor.id
  if (!isOwn || !may('can_delete_own_message_group'))
    return "You don't have permission to delete this message"
  const limit = realmSetting(realm, 'message_content_delete_limit_seconds')
  if (limit !== null && now - message.sent_at > limit) {
    return 'The time limit for deleting this message has passed'
  }
  return undefined
}
