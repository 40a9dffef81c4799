import { serviceContract } from '../contract.ts'
import { realmLifecycleTopic } from '../identity/realm-lifecycle.ts'
import {
  arrivalsTopic,
  departuresTopic,
  groupsTopic,
  personalTopic,
  realmsTopic,
  usersTopic,
} from '../identity/topics.ts'
import { emojiTopic } from '../uploads/topics.ts'
import * as archiveQuestions from './archive-questions.ts'
import * as channelEndpoints from './channels.ts'
import * as defaultChannels from './default-channels.ts'
import * as drafts from './drafts.ts'
import * as folders from './folders.ts'
import * as internals from './internals.ts'
import * as joining from './joining.ts'
import * as messageChanges from './message-changes.ts'
import * as messageFlags from './message-flags.ts'
import * as messageReports from './message-reports.ts'
import * as messages from './messages.ts'
import * as navigationViews from './navigation-views.ts'
import * as noticeQuestions from './notice-questions.ts'
import * as reactions from './reactions.ts'
import * as reminders from './reminders.ts'
import * as savedSnippets from './saved-snippets.ts'
import * as scheduledMessages from './scheduled-messages.ts'
import * as sections from './sections.ts'
import * as submessages from './submessages.ts'
import * as subscriptions from './subscriptions.ts'
import { companyTopic, messageChangesTopic, messagesTopic } from './topics.ts'
import * as userTopics from './user-topics.ts'

export const channels = serviceContract('channels', {
  endpoints: {
    ...channelEndpoints,
    ...folders,
    ...defaultChannels,
    ...userTopics,
    ...subscriptions,
    ...messages,
    ...messageFlags,
    ...messageChanges,
    ...messageReports,
    ...reactions,
    ...submessages,
    ...drafts,
    ...savedSnippets,
    ...navigationViews,
    ...scheduledMessages,
    ...reminders,
  },
  internals: { ...internals, ...joining, ...noticeQuestions, ...archiveQuestions },
  sections,
  writes: [messagesTopic, messageChangesTopic, companyTopic],
  follows: [
    usersTopic,
    realmsTopic,
    groupsTopic,
    personalTopic,
    arrivalsTopic,
    departuresTopic,
    emojiTopic,
    realmLifecycleTopic,
  ],
})
