import { z } from 'zod'
import { Draft } from '../objects/draft.ts'
import { NavigationView } from '../objects/navigation-view.ts'
import { SavedSnippet } from '../objects/saved-snippet.ts'
import { Reminder, ScheduledMessage } from '../objects/scheduled-message.ts'
import { section } from '../section.ts'

/** The drafts edited last, newest first; at most `limits.maxDraftsInState`. */
export const draftsSection = section({
  service: 'channels',
  name: 'drafts',
  fields: { drafts: z.array(Draft) },
})

export const savedSnippetsSection = section({
  service: 'channels',
  name: 'saved_snippets',
  fields: { saved_snippets: z.array(SavedSnippet) },
})

export const navigationViewsSection = section({
  service: 'channels',
  name: 'navigation_views',
  covers: ['navigation_view'],
  fields: { navigation_views: z.array(NavigationView) },
})

/** The next one first; those that could not be sent are among them. */
export const scheduledMessagesSection = section({
  service: 'channels',
  name: 'scheduled_messages',
  fields: { scheduled_messages: z.array(ScheduledMessage) },
})

export const remindersSection = section({
  service: 'channels',
  name: 'reminders',
  fields: { reminders: z.array(Reminder) },
})
