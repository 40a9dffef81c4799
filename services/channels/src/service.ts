import { channels } from '@parley/contracts/channels/index'
import { defineService } from '@parley/kit'
import { channelDirectory } from './channels/channel-directory.ts'
import { channelsUsingGroup } from './channels/channels-using-group.ts'
import { listChannels } from './channels/list-channels.ts'
import { config } from './config.ts'
import { onRealmChanged } from './directory/on-realm-changed.ts'
import { onUserChanged } from './directory/on-user-changed.ts'
import { realmDirectory } from './directory/realm-directory.ts'
import { userDirectory } from './directory/user-directory.ts'
import { conversationDirectory } from './messages/conversation-directory.ts'
import { forgetOldLocalIds } from './messages/forget-local-ids.ts'
import { getMessage } from './messages/get-message.ts'
import { listMessages } from './messages/list-messages.ts'
import { mayReadMessage } from './messages/may-read-message.ts'
import { messageBatcher } from './messages/message-batcher.ts'
import { messageSection } from './messages/message-section.ts'
import { newestMessage } from './messages/newest-message.ts'
import { sendAs } from './messages/send-as.ts'
import { sendMessage } from './messages/send-message.ts'
import { storeBatch } from './messages/store-batch.ts'
import { onGroupChanged } from './permissions/on-group-changed.ts'
import type { Deps } from './room.ts'
import { addSubscriptions } from './subscriptions/add-subscriptions.ts'
import { channelMembers } from './subscriptions/channel-members.ts'
import { listSubscriptions } from './subscriptions/list-subscriptions.ts'
import { subscriptionSection } from './subscriptions/subscription-section.ts'
import { channelTypingAudience } from './typing/channel-typing-audience.ts'
import { editTypingAudience } from './typing/edit-typing-audience.ts'

export const service = defineService({
  contract: channels,
  config,
  open: async (opening): Promise<Deps> => {
    const database = await opening.database()
    const bus = await opening.bus()
    await opening.relay({ database, bus, audiences: { 'channel-members': channelMembers(database) } })
    return {
      log: opening.log,
      database,
      bus,
      realms: realmDirectory(database, opening.ask),
      users: userDirectory(database, opening.ask),
      channels: channelDirectory(database),
      conversations: conversationDirectory(database),
      sender: messageBatcher(storeBatch(database)),
    }
  },
  start: async (deps) => [
    ...(await onRealmChanged(deps)),
    ...(await onUserChanged(deps)),
    ...(await onGroupChanged(deps)),
    forgetOldLocalIds(deps.database, deps.log),
  ],
  endpoints: { addSubscriptions, listSubscriptions, listChannels, sendMessage, listMessages, getMessage },
  internals: {
    newestMessage,
    channelsUsingGroup,
    channelTypingAudience,
    editTypingAudience,
    mayReadMessage,
    sendAs,
  },
  sections: { messageSection, subscriptionSection },
})
