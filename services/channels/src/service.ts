import { channels } from '@parley/contracts/channels/index'
import { defineService } from '@parley/kit'
import { followRealmEnds, purgeOf } from '@parley/kit/follow-realm-ends'
import { holdData } from '@parley/kit/hold-data'
import { textCache } from '@parley/kit/text-cache'
import { archiveChannel } from './channels/archive-channel.ts'
import { channelDirectory } from './channels/channel-directory.ts'
import { channelsUsingGroup } from './channels/channels-using-group.ts'
import { followTraffic } from './channels/count-traffic.ts'
import { createChannel } from './channels/create-channel.ts'
import { getChannel } from './channels/get-channel.ts'
import { getChannelEmail } from './channels/get-channel-email.ts'
import { getChannelId } from './channels/get-channel-id.ts'
import { hasWebPublicChannels } from './channels/has-web-public-channels.ts'
import { listChannelMembers } from './channels/list-channel-members.ts'
import { listChannels } from './channels/list-channels.ts'
import { updateChannel } from './channels/update-channel.ts'
import { config } from './config.ts'
import { addDefaultChannel } from './default-channels/add-default-channel.ts'
import { createDefaultChannelGroup } from './default-channels/create-default-channel-group.ts'
import {
  defaultStreamGroupsSection,
  defaultStreamsSection,
} from './default-channels/default-channel-sections.ts'
import { deleteDefaultChannelGroup } from './default-channels/delete-default-channel-group.ts'
import { removeDefaultChannel } from './default-channels/remove-default-channel.ts'
import { updateDefaultChannelGroup } from './default-channels/update-default-channel-group.ts'
import { updateDefaultChannelGroupMembers } from './default-channels/update-default-channel-group-members.ts'
import { acquaintances } from './directory/acquaintances.ts'
import { awaitNews } from './directory/await-news.ts'
import { companyOf } from './directory/company.ts'
import { emojiDirectory } from './directory/emoji-directory.ts'
import { learnEmoji } from './directory/learn-emoji.ts'
import { newsBell } from './directory/news-bell.ts'
import { onEmojiChanged } from './directory/on-emoji-changed.ts'
import { onPersonalChanged } from './directory/on-personal-changed.ts'
import { onRealmChanged } from './directory/on-realm-changed.ts'
import { onUserChanged } from './directory/on-user-changed.ts'
import { personalDirectory } from './directory/personal-directory.ts'
import { realmDirectory } from './directory/realm-directory.ts'
import { userActivity } from './directory/user-activity.ts'
import { userDirectory } from './directory/user-directory.ts'
import { createDrafts } from './drafts/create-drafts.ts'
import { deleteDraft } from './drafts/delete-draft.ts'
import { draftsSection } from './drafts/drafts-section.ts'
import { listDrafts } from './drafts/list-drafts.ts'
import { updateDraft } from './drafts/update-draft.ts'
import { channelFoldersSection } from './folders/channel-folders-section.ts'
import { createChannelFolder } from './folders/create-channel-folder.ts'
import { listChannelFolders } from './folders/list-channel-folders.ts'
import { reorderChannelFolders } from './folders/reorder-channel-folders.ts'
import { updateChannelFolder } from './folders/update-channel-folder.ts'
import { joinChannels } from './joining/join-channels.ts'
import { judgeInvitedChannels } from './joining/judge-invited-channels.ts'
import { deleteMessage } from './message-changes/delete-message.ts'
import { getMessageHistory } from './message-changes/get-message-history.ts'
import { updateMessage } from './message-changes/update-message.ts'
import { conversationDirectory } from './messages/conversation-directory.ts'
import { filesInUse } from './messages/files-in-use.ts'
import { forgetOldLocalIds } from './messages/forget-local-ids.ts'
import { getMessage } from './messages/get-message.ts'
import { listMessages } from './messages/list-messages.ts'
import { mayReadMessage, whichMayRead } from './messages/may-read-message.ts'
import { messageBatcher } from './messages/message-batcher.ts'
import { messageContents } from './messages/message-contents.ts'
import { messageSection } from './messages/message-section.ts'
import { newestMessage } from './messages/newest-message.ts'
import { sendAs } from './messages/send-as.ts'
import { sendMessage } from './messages/send-message.ts'
import { storeBatch } from './messages/store-batch.ts'
import { matchesNarrow } from './narrows/matches-narrow.ts'
import { createNavigationView } from './navigation-views/create-navigation-view.ts'
import { deleteNavigationView } from './navigation-views/delete-navigation-view.ts'
import { listNavigationViews } from './navigation-views/list-navigation-views.ts'
import { navigationViewsSection } from './navigation-views/navigation-views-section.ts'
import { updateNavigationView } from './navigation-views/update-navigation-view.ts'
import { channelForTask } from './notices/channel-for-task.ts'
import { onArrival } from './notices/on-arrival.ts'
import { sendWelcomeMessage } from './notices/send-welcome-message.ts'
import { onGroupChanged } from './permissions/on-group-changed.ts'
import { listenToPublicChannels } from './public-listeners/listen-to-public-channels.ts'
import { addReaction } from './reactions/add-reaction.ts'
import { removeReaction } from './reactions/remove-reaction.ts'
import { getReadReceipts } from './read-state/get-read-receipts.ts'
import { markAllAsRead } from './read-state/mark-all-as-read.ts'
import { markStreamAsRead } from './read-state/mark-stream-as-read.ts'
import { markTopicAsRead } from './read-state/mark-topic-as-read.ts'
import { recentPrivateConversationsSection } from './read-state/recent-private-conversations-section.ts'
import { starredMessagesSection } from './read-state/starred-messages-section.ts'
import { unreadSection } from './read-state/unread-section.ts'
import { updateMessageFlags } from './read-state/update-message-flags.ts'
import { updateMessageFlagsForNarrow } from './read-state/update-message-flags-for-narrow.ts'
import { holdings } from './realm-data/holdings.ts'
import { whichAreArchived } from './realm-data/which-are-archived.ts'
import { createReminder } from './reminders/create-reminder.ts'
import { deleteReminder } from './reminders/delete-reminder.ts'
import { listReminders } from './reminders/list-reminders.ts'
import { remindersSection } from './reminders/reminders-section.ts'
import { onDeparture } from './removals/on-departure.ts'
import { reportMessage } from './reports/report-message.ts'
import type { Deps } from './room.ts'
import { createSavedSnippet } from './saved-snippets/create-saved-snippet.ts'
import { deleteSavedSnippet } from './saved-snippets/delete-saved-snippet.ts'
import { listSavedSnippets } from './saved-snippets/list-saved-snippets.ts'
import { savedSnippetsSection } from './saved-snippets/saved-snippets-section.ts'
import { updateSavedSnippet } from './saved-snippets/update-saved-snippet.ts'
import { createScheduledMessage } from './scheduled-messages/create-scheduled-message.ts'
import { deleteScheduledMessage } from './scheduled-messages/delete-scheduled-message.ts'
import { listScheduledMessages } from './scheduled-messages/list-scheduled-messages.ts'
import { scheduledMessagesSection } from './scheduled-messages/scheduled-messages-section.ts'
import { updateScheduledMessage } from './scheduled-messages/update-scheduled-message.ts'
import { bell } from './scheduler/bell.ts'
import { startSchedulers } from './scheduler/start-schedulers.ts'
import { addSubmessage } from './submessages/add-submessage.ts'
import { renderMessageText } from './submessages/render-message-text.ts'
import { addSubscriptions } from './subscriptions/add-subscriptions.ts'
import { channelMembers } from './subscriptions/channel-members.ts'
import { getSubscriptionStatus } from './subscriptions/get-subscription-status.ts'
import { listSubscriptions } from './subscriptions/list-subscriptions.ts'
import { listUserChannels } from './subscriptions/list-user-channels.ts'
import { removeSubscriptions } from './subscriptions/remove-subscriptions.ts'
import { streamSection } from './subscriptions/stream-section.ts'
import { subscriptionSection } from './subscriptions/subscription-section.ts'
import { updateSubscriptionProperties } from './subscriptions/update-subscription-properties.ts'
import { updateSubscriptionProperty } from './subscriptions/update-subscription-property.ts'
import { updateSubscriptions } from './subscriptions/update-subscriptions.ts'
import { deleteTopic } from './topics/delete-topic.ts'
import { listChannelTopics } from './topics/list-channel-topics.ts'
import { channelTypingAudience } from './typing/channel-typing-audience.ts'
import { editTypingAudience } from './typing/edit-typing-audience.ts'
import { updateMutedTopic } from './user-topics/update-muted-topic.ts'
import { updateUserTopic } from './user-topics/update-user-topic.ts'
import { mutedTopicsSection, userTopicSection } from './user-topics/user-topic-sections.ts'

export const service = defineService({
  contract: channels,
  config,
  open: async (opening): Promise<Deps> => {
    const database = await opening.database()
    const bus = await opening.bus()
    await opening.relay({
      database,
      bus,
      audiences: { 'channel-members': channelMembers(database) },
      publisher: await opening.redis({ purpose: 'publisher', needed: false }),
    })
    const realms = realmDirectory(database, opening.ask)
    return {
      log: opening.log,
      database,
      bus,
      ask: opening.ask,
      realms,
      users: userDirectory(database, opening.ask),
      activity: userActivity(database, opening.log),
      personal: personalDirectory(database),
      emoji: emojiDirectory(database, opening.ask),
      newsBell: newsBell(database),
      channels: channelDirectory(database),
      conversations: conversationDirectory(database, realms),
      subscriberTexts: textCache(opening.config.SUBSCRIBER_TEXTS_MIB),
      sender: messageBatcher(storeBatch(database, bus.loans)),
      bell: bell(),
      publicUrl: opening.config.PUBLIC_URL,
    }
  },
  start: async (deps) => [
    ...(await onRealmChanged(deps)),
    ...(await onUserChanged(deps)),
    ...(await onGroupChanged(deps)),
    ...(await onPersonalChanged(deps)),
    ...(await onEmojiChanged(deps)),
    ...(await onArrival(deps)),
    ...(await onDeparture(deps)),
    forgetOldLocalIds(deps.database, deps.log),
    ...startSchedulers(deps),
    followTraffic(deps.database, deps.log),
    deps.activity,
    deps.newsBell,
    await followRealmEnds({ ...deps, name: 'channels.ends', purge: purgeOf(holdings, deps) }),
  ],
  endpoints: {
    addSubscriptions,
    listSubscriptions,
    listChannels,
    sendMessage,
    listMessages,
    getMessage,
    listDrafts,
    createDrafts,
    updateDraft,
    deleteDraft,
    listSavedSnippets,
    createSavedSnippet,
    updateSavedSnippet,
    deleteSavedSnippet,
    listNavigationViews,
    createNavigationView,
    updateNavigationView,
    deleteNavigationView,
    matchesNarrow,
    listScheduledMessages,
    createScheduledMessage,
    updateScheduledMessage,
    deleteScheduledMessage,
    listReminders,
    createReminder,
    deleteReminder,
    getChannel,
    getChannelId,
    createChannel,
    updateChannel,
    archiveChannel,
    listChannelMembers,
    getChannelEmail,
    listChannelTopics,
    deleteTopic,
    removeSubscriptions,
    updateSubscriptions,
    updateSubscriptionProperties,
    updateSubscriptionProperty,
    getSubscriptionStatus,
    listUserChannels,
    createChannelFolder,
    listChannelFolders,
    reorderChannelFolders,
    updateChannelFolder,
    addDefaultChannel,
    removeDefaultChannel,
    createDefaultChannelGroup,
    updateDefaultChannelGroup,
    deleteDefaultChannelGroup,
    updateDefaultChannelGroupMembers,
    updateUserTopic,
    updateMutedTopic,
    updateMessageFlags,
    updateMessageFlagsForNarrow,
    markAllAsRead,
    markStreamAsRead,
    markTopicAsRead,
    getReadReceipts,
    updateMessage,
    deleteMessage,
    getMessageHistory,
    addReaction,
    removeReaction,
    addSubmessage,
    renderMessageText,
    reportMessage,
  },
  internals: {
    acquaintances,
    awaitNews,
    learnEmoji,
    companyOf,
    newestMessage,
    listenToPublicChannels,
    channelsUsingGroup,
    hasWebPublicChannels,
    channelTypingAudience,
    editTypingAudience,
    mayReadMessage,
    readableMessages: whichMayRead,
    filesInUse,
    messageContents,
    sendAs,
    judgeInvitedChannels,
    sendWelcomeMessage,
    channelForTask,
    joinChannels,
    archivedMessages: whichAreArchived,
    ...holdData('channels', holdings),
  },
  sections: {
    messageSection,
    subscriptionSection,
    streamSection,
    channelFoldersSection,
    defaultStreamsSection,
    defaultStreamGroupsSection,
    userTopicSection,
    mutedTopicsSection,
    draftsSection,
    savedSnippetsSection,
    navigationViewsSection,
    scheduledMessagesSection,
    remindersSection,
    unreadSection,
    starredMessagesSection,
    recentPrivateConversationsSection,
  },
})
