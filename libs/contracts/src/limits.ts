/** Every number that the interface promises (facts, section 7). Lengths are in Unicode code points. */
export const limits = {
  /** Code points of what an administrator tells somebody whose account is ended. */
  maxDeactivationCommentLength: 2000,
  featureLevel: 509,
  /** What existing clients read as the server's version. */
  serverVersion: '13.0',
  mergeBase: '13.0',

  maxChannelNameLength: 60,
  maxChannelDescriptionLength: 1024,
  maxDefaultChannelGroupNameLength: 60,
  maxDefaultChannelGroupDescriptionLength: 1024,
  /** Of one request that subscribes, unsubscribes, or changes subscriptions. */
  maxChannelsPerRequest: 1000,
  maxPrincipalsPerRequest: 10_000,
  /** Channels times principals. */
  maxSubscriptionsPerRequest: 200_000,
  maxTopicLength: 60,
  maxMessageLength: 10_000,
  /** Of all that a message was before; beyond, what it was at first and its newer half. */
  maxEditHistoryKib: 2048,
  /** Of the newest of it, where messages are listed. */
  maxListedEditHistoryKib: 100,
  maxMessagesPerRequest: 5000,
  /** Of one direct conversation. */
  maxDirectRecipients: 10_000,
  maxNarrowTerms: 50,
  maxSearchLength: 1000,
  maxUnreadMessages: 50_000,
  recentDirectMessages: 1000,
  /** UNIX seconds: the end of the year 9999. */
  maxTimestamp: 253_402_300_799,
  /** Of one user. */
  maxDrafts: 2000,
  maxDraftsInState: 1000,
  /** Of one user. */
  maxSavedSnippets: 1000,
  maxSavedSnippetTitleLength: 60,
  /** Of one user. */
  maxNavigationViews: 1000,
  maxNavigationFragmentLength: 1000,
  maxNavigationNameLength: 255,
  /** Of one user. */
  maxScheduledMessages: 1000,
  /** Of one user. */
  maxReminders: 1000,
  maxReminderNoteLength: 1000,
  maxReportDescriptionLength: 1000,
  /** A message that could not be sent for so long is not sent any more: it would surprise its readers. */
  scheduledMessageLateMinutes: 10,
  /** How long archived messages are kept before they are gone for good. */
  deletedMessageVacuumDays: 30,
  maxFullNameLength: 100,
  maxGroupNameLength: 100,
  maxGroupDescriptionLength: 1024,
  /** Of a setting that names no group; larger sets of people are user groups. */
  maxGroupSettingMembers: 10_000,
  maxGroupSettingSubgroups: 1000,
  maxBotStorageCharacters: 10_000_000,
  maxProfileFieldNameLength: 40,
  maxProfileFieldHintLength: 80,
  maxShortProfileTextLength: 50,
  maxLongProfileTextLength: 500,
  maxProfileSummaryFields: 2,
  /** Of each of a linkifier's texts. */
  maxLinkifierTextLength: 1000,
  maxLinkifiers: 200,
  maxAlternativeTemplates: 20,
  maxPlaygroundNameLength: 60,
  maxPygmentsLanguageLength: 40,
  /** Of one user. */
  maxDevices: 100,
  maxPushTokenLength: 4096,
  maxAlertWordLength: 100,
  maxAlertWords: 1000,
  maxRealmNameLength: 40,
  maxWelcomeMessageLength: 8000,
  /** A hundred years. */
  maxInvitationMinutes: 52_560_000,
  invitationsPerDay: 100,
  maxRealmDescriptionLength: 1000,
  maxChannelFolderNameLength: 60,
  maxChannelFolderDescriptionLength: 1024,
  maxBulkNewSubscriptionMessages: 100,
  maxAvatarFileSizeMib: 5,
  maxIconFileSizeMib: 5,
  maxLogoFileSizeMib: 5,
  minRealmDeletionDays: 14,
  exportsPerWeek: 5,
  minPasswordGuesses: 10_000,
  minPasswordLength: 6,
  maxPasswordLength: 100,

  heartbeatMinSeconds: 45,
  heartbeatMaxSeconds: 55,
  longPollTimeoutSeconds: 90,
  /** Of one queue, those that there are not included. */
  maxEventTypes: 1000,
  idleQueueSeconds: 600,
  idleQueueMobileSeconds: 43_200,
  idleQueueMaxSeconds: 604_800,

  presencePingSeconds: 60,
  presenceOfflineSeconds: 200,
  presenceHistoryDays: 14,
  /** Somebody counts as active while last active at most so long before last connected. */
  presenceActiveSeconds: 70,
  typingStartedWaitMilliseconds: 30_000,
  typingStoppedWaitMilliseconds: 12_000,
  typingStartedExpiryMilliseconds: 45_000,
  maxSubscribersForTyping: 100,
  maxStatusTextLength: 60,

  authenticatedCallsPerMinute: 200,
  anonymousCallsPerMinute: 100,
  pollsPerMinute: 600,
  failedLoginsPerHalfHour: 5,
} as const
