import { changeThing, type Thing, withoutThing, withThing } from './lists.ts'
import type { Entry } from './model.ts'

const replaces =
  (field: string, from = field): Entry =>
  (state, event) => {
    if (field in state) state[field] = event[from]
  }

const puts =
  (list: string, field: string, key = 'id'): Entry =>
  (state, event) => {
    for (const thing of [event[field]].flat() as Thing[]) state[list] = withThing(state[list], key, thing)
  }

/** As `puts`, for things that nobody has yet: one that is there already was told twice. */
const adds =
  (list: string, field: string, key = 'id'): Entry =>
  (state, event) => {
    for (const thing of [event[field]].flat() as Thing[]) {
      if (state[list]?.some((known: Thing) => known[key] === thing[key])) {
        throw new Error(`${list} have ${thing[key]} already`)
      }
      state[list] = withThing(state[list], key, thing)
    }
  }

const drops =
  (list: string, field: string, key = 'id'): Entry =>
  (state, event) => {
    state[list] = withoutThing(state[list], key, event[field])
  }

/** A device that is not told of messages yet. */
const untoldDevice: Thing = {
  push_key_id: null,
  push_token_id: null,
  pending_push_token_id: null,
  push_token_last_updated_timestamp: null,
}

export const personalEntries: Readonly<Record<string, Entry>> = {
  alert_words: replaces('alert_words'),
  muted_users: replaces('muted_users'),
  onboarding_steps: replaces('onboarding_steps'),
  has_zoom_token: replaces('has_zoom_token', 'value'),
  has_webex_token: replaces('has_webex_token', 'value'),
  'user_settings/update': (state, { property, value }) => {
    if (state.user_settings !== undefined) state.user_settings[property] = value
    // Clients of long ago have them at the top.
    if (property in state) state[property] = property === 'twenty_four_hour_time' ? (value ?? false) : value
  },
  'drafts/add': adds('drafts', 'drafts'),
  'drafts/update': puts('drafts', 'draft'),
  'drafts/remove': drops('drafts', 'draft_id'),
  'saved_snippets/add': adds('saved_snippets', 'saved_snippet'),
  'saved_snippets/update': puts('saved_snippets', 'saved_snippet'),
  'saved_snippets/remove': drops('saved_snippets', 'saved_snippet_id'),
  'navigation_view/add': adds('navigation_views', 'navigation_view', 'fragment'),
  'navigation_view/update': (state, { fragment, data }) =>
    changeThing(state.navigation_views, 'fragment', fragment, data),
  'navigation_view/remove': drops('navigation_views', 'fragment', 'fragment'),
  'scheduled_messages/add': adds('scheduled_messages', 'scheduled_messages', 'scheduled_message_id'),
  'scheduled_messages/update': puts('scheduled_messages', 'scheduled_message', 'scheduled_message_id'),
  'scheduled_messages/remove': drops('scheduled_messages', 'scheduled_message_id', 'scheduled_message_id'),
  'reminders/add': adds('reminders', 'reminders', 'reminder_id'),
  'reminders/remove': drops('reminders', 'reminder_id', 'reminder_id'),
  'device/add': (state, { device_id }) => {
    if (state.devices !== undefined) state.devices[device_id] ??= { ...untoldDevice }
  },
  'device/update': (state, { id: _, type: __, op: ___, device_id, ...changes }) => {
    if (state.devices?.[device_id] !== undefined) Object.assign(state.devices[device_id], changes)
  },
  'device/remove': (state, { device_id }) => {
    if (state.devices !== undefined) delete state.devices[device_id]
  },
}
