/** Changes of what belongs to one user alone; only that user's clients are told. */
import { z } from 'zod'
import { event } from '../event.ts'
import { Draft } from '../objects/draft.ts'
import { NavigationView } from '../objects/navigation-view.ts'
import { SavedSnippet } from '../objects/saved-snippet.ts'
import { Reminder, ScheduledMessage } from '../objects/scheduled-message.ts'

export const draftsAdd = event({ type: 'drafts', op: 'add', fields: { drafts: z.array(Draft) } })
export const draftsUpdate = event({ type: 'drafts', op: 'update', fields: { draft: Draft } })
export const draftsRemove = event({ type: 'drafts', op: 'remove', fields: { draft_id: z.int() } })

export const savedSnippetsAdd = event({
  type: 'saved_snippets',
  op: 'add',
  since: 297,
  fields: { saved_snippet: SavedSnippet },
})
export const savedSnippetsUpdate = event({
  type: 'saved_snippets',
  op: 'update',
  since: 368,
  fields: { saved_snippet: SavedSnippet },
})
export const savedSnippetsRemove = event({
  type: 'saved_snippets',
  op: 'remove',
  since: 297,
  fields: { saved_snippet_id: z.int() },
})

export const navigationViewAdd = event({
  type: 'navigation_view',
  op: 'add',
  since: 390,
  fields: { navigation_view: NavigationView },
})
export const navigationViewUpdate = event({
  type: 'navigation_view',
  op: 'update',
  since: 390,
  fields: {
    fragment: z.string(),
    /** What changed. */
    data: NavigationView.omit({ fragment: true }).partial(),
  },
})
export const navigationViewRemove = event({
  type: 'navigation_view',
  op: 'remove',
  since: 390,
  fields: { fragment: z.string() },
})

export const scheduledMessagesAdd = event({
  type: 'scheduled_messages',
  op: 'add',
  since: 179,
  fields: { scheduled_messages: z.array(ScheduledMessage) },
})
export const scheduledMessagesUpdate = event({
  type: 'scheduled_messages',
  op: 'update',
  since: 179,
  fields: { scheduled_message: ScheduledMessage },
})
/** It was sent, or is not to be any more. */
export const scheduledMessagesRemove = event({
  type: 'scheduled_messages',
  op: 'remove',
  since: 179,
  fields: { scheduled_message_id: z.int() },
})

export const remindersAdd = event({
  type: 'reminders',
  op: 'add',
  since: 399,
  fields: { reminders: z.array(Reminder) },
})
/** It has come, or is not to any more. */
export const remindersRemove = event({
  type: 'reminders',
  op: 'remove',
  since: 399,
  fields: { reminder_id: z.int() },
})
