import { type Thing, withoutThing, withThing } from './lists.ts'
import type { Entry, State } from './model.ts'

/** Fields that older clients read, which say again what a setting says. */
const legacyCopies = (state: State, name: string, value: unknown): void => {
  if (name === 'message_edit_history_visibility_policy') state.realm_allow_edit_history = value !== 'none'
  if (name === 'topics_policy') state.realm_mandatory_topics = value === 'disable_empty_topic'
  if (name === 'authentication_methods') {
    const methods = value as Record<string, { enabled: boolean }>
    state.realm_email_auth_enabled = methods.Email?.enabled
    state.realm_password_auth_enabled = methods.Email?.enabled
  }
}

const setRealm = (state: State, name: string, value: unknown): void => {
  if (!(`realm_${name}` in state)) return
  state[`realm_${name}`] = value
  legacyCopies(state, name, value)
}

/** All of a list, each time. */
const replaces =
  (field: string, from = field): Entry =>
  (state, event) => {
    if (field in state) state[field] = event[from]
  }

/** What people said of themselves is gone with the field. */
const dropProfileValues = (state: State, fields: readonly string[]): void => {
  for (const person of [...(state.realm_users ?? []), ...(state.realm_non_active_users ?? [])]) {
    for (const id of Object.keys(person.profile_data ?? {})) {
      if (!fields.includes(id)) delete person.profile_data[id]
    }
  }
}

const setDomain: Entry = (state, { realm_domain }) => {
  state.realm_domains = withThing(state.realm_domains, 'domain', realm_domain)
}

export const organizationEntries: Readonly<Record<string, Entry>> = {
  'realm/update': (state, { property, value }) => setRealm(state, property, value),
  'realm/update_dict': (state, { data }) => {
    for (const [name, value] of Object.entries(data)) setRealm(state, name, value)
  },
  'realm/deactivated': { leavesStateAlone: 'there is no state to come back to' },
  'realm_user_settings_defaults/update': (state, { property, value }) => {
    if (state.realm_user_settings_defaults !== undefined) state.realm_user_settings_defaults[property] = value
  },
  'realm_domains/add': setDomain,
  'realm_domains/change': setDomain,
  'realm_domains/remove': (state, { domain }) => {
    state.realm_domains = withoutThing(state.realm_domains, 'domain', domain)
  },
  realm_emoji: { leavesStateAlone: 'as it is written down; clients receive one of the forms below' },
  'realm_emoji/update': replaces('realm_emoji'),
  'realm_emoji/add': (state, { emoji }) => {
    if (state.realm_emoji !== undefined) state.realm_emoji[emoji.id] = emoji
  },
  'realm_emoji/update_one': (state, { emoji_id, data }) => {
    if (state.realm_emoji?.[emoji_id] !== undefined) Object.assign(state.realm_emoji[emoji_id] as Thing, data)
  },
  realm_linkifiers: replaces('realm_linkifiers'),
  realm_playgrounds: replaces('realm_playgrounds'),
  custom_profile_fields: (state, { fields }) => {
    if (state.custom_profile_fields !== undefined) state.custom_profile_fields = fields
    dropProfileValues(
      state,
      (fields as Thing[]).map(({ id }) => String(id)),
    )
  },
  default_streams: replaces('realm_default_streams', 'default_streams'),
  default_stream_groups: replaces('realm_default_stream_groups', 'default_stream_groups'),
  invites_changed: { leavesStateAlone: 'invitations are listed by a call of their own' },
  realm_export: { leavesStateAlone: 'exports are listed by a call of their own' },
  realm_export_consent: { leavesStateAlone: 'consents are listed by a call of their own' },
  heartbeat: { leavesStateAlone: 'a sign of life' },
  restart: { leavesStateAlone: 'about the server, not the organization' },
  web_reload_client: { leavesStateAlone: 'about the server, not the organization' },
}
