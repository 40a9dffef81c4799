import type { KnownCaller, ParamsOf } from '@parley/contracts'
import type { mutedTopicsEvent, streamUpdate, userTopicEvent } from '@parley/contracts/channels/events'
import type { deleteMessageEvent, updateMessageEvent } from '@parley/contracts/channels/message-change-events'
import type { updateMessage } from '@parley/contracts/channels/message-changes'
import type { updateMessageFlagsAdd } from '@parley/contracts/channels/message-events'
import type { Tx } from '@parley/kit'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { StoredMessage } from '../messages/message-store.ts'
import type { Actor } from '../permissions/actor.ts'
import type { Deps } from '../room.ts'
import type { Change } from './change-rules.ts'

type ChangeTx = Tx<
  | typeof updateMessageEvent
  | typeof deleteMessageEvent
  | typeof streamUpdate
  | typeof userTopicEvent
  | typeof mutedTopicsEvent
  | typeof updateMessageFlagsAdd
>

/** Everything that a change of messages is about. */
export interface ChangeScene {
  readonly tx: ChangeTx
  readonly deps: Deps
  readonly caller: KnownCaller
  readonly realm: Realm
  readonly actor: Actor
  /** As it is before the change, held against others. */
  readonly message: StoredMessage
  /** Undefined for direct messages. */
  readonly channel: ChannelRow | undefined
  readonly change: Change
  readonly params: ParamsOf<typeof updateMessage>
  /** UNIX seconds. */
  readonly now: number
}
