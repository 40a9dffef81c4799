import { changeThing, difference, type Thing, union, withoutThing, withThing } from './lists.ts'
import type { Entry, State } from './model.ts'

const flagsOfRole = (role: number): Thing => ({
  is_owner: role === 100,
  is_admin: role <= 200,
  is_guest: role === 600,
})

const lists = ['realm_users', 'realm_non_active_users'] as const

const changePerson = (state: State, userId: number, changes: Thing): void => {
  for (const list of lists) changeThing(state[list], 'user_id', userId, changes)
}

const move = (state: State, userId: number, from: string, to: string): void => {
  const person = state[from]?.find(({ user_id }: Thing) => user_id === userId)
  if (person === undefined) return
  state[from] = withoutThing(state[from], 'user_id', userId)
  state[to] = withThing(state[to], 'user_id', person)
}

/** What the state says of the caller beside the lists. */
const changeMyself = (state: State, changes: Thing): void => {
  for (const [name, value] of Object.entries(changes)) {
    if (name in state && value !== undefined) state[name] = value
  }
}

const setProfileValue = (state: State, userId: number, field: Thing): void => {
  for (const list of lists) {
    const person = state[list]?.find(({ user_id }: Thing) => user_id === userId)
    if (person === undefined) continue
    const { [String(field.id)]: _, ...others } = person.profile_data ?? {}
    const { value, rendered_value } = field
    const said = { value, ...(rendered_value == null ? {} : { rendered_value }) }
    person.profile_data = value === null ? others : { ...others, [String(field.id)]: said }
  }
}

/** Takes somebody out of the settings that name people one by one. */
const unname = (settings: Thing, userId: number): void => {
  for (const [name, value] of Object.entries(settings)) {
    if (value?.direct_members === undefined) continue
    settings[name] = { ...value, direct_members: difference(value.direct_members, [userId]) }
  }
}

const updatePerson: Entry = (state, { person }) => {
  const { user_id, role, is_active, custom_profile_field, new_email, ...plain } = person
  if (custom_profile_field !== undefined) setProfileValue(state, user_id, custom_profile_field)
  if (is_active === false) {
    move(state, user_id, 'realm_users', 'realm_non_active_users')
    // "clients remove the user from all group data"
    for (const known of state.realm_user_groups ?? []) {
      known.members = difference(known.members, [user_id])
      unname(known, user_id)
    }
    unname(state, user_id)
  }
  if (is_active === true) move(state, user_id, 'realm_non_active_users', 'realm_users')
  const { avatar_source, avatar_url_medium, ...listed } = plain
  const changes = {
    ...listed,
    ...(role === undefined ? {} : { role, ...flagsOfRole(role) }),
    ...(new_email === undefined ? {} : { email: new_email }),
  }
  changePerson(state, user_id, changes)
  if (user_id !== state.user_id) return
  const mine = { ...changes, ...(role === undefined ? {} : { is_moderator: role <= 300 }) }
  changeMyself(state, { ...mine, avatar_source, avatar_url_medium })
}

const group = (state: State, id: number): Thing =>
  state.realm_user_groups?.find((known: Thing) => known.id === id) ?? {}

export const peopleEntries: Readonly<Record<string, Entry>> = {
  'realm_user/add': (state, { person: { is_active, ...person } }) => {
    const list = is_active ? 'realm_users' : 'realm_non_active_users'
    const other = is_active ? 'realm_non_active_users' : 'realm_users'
    state[other] = withoutThing(state[other], 'user_id', person.user_id)
    state[list] = withThing(state[list], 'user_id', person)
  },
  'realm_user/remove': (state, { person }) => {
    for (const list of lists) state[list] = withoutThing(state[list], 'user_id', person.user_id)
  },
  'realm_user/update': updatePerson,

  'realm_bot/add': (state, { bot }) => {
    state.realm_bots = withThing(state.realm_bots, 'user_id', bot)
  },
  'realm_bot/update': (state, { bot }) => changeThing(state.realm_bots, 'user_id', bot.user_id, bot),
  'realm_bot/delete': (state, { bot }) => {
    state.realm_bots = withoutThing(state.realm_bots, 'user_id', bot.user_id)
  },

  'user_group/add': (state, { group: added }) => {
    state.realm_user_groups = withThing(state.realm_user_groups, 'id', added)
  },
  'user_group/remove': (state, { group_id }) => {
    state.realm_user_groups = withoutThing(state.realm_user_groups, 'id', group_id)
  },
  'user_group/update': (state, { group_id, data }) =>
    changeThing(state.realm_user_groups, 'id', group_id, data),
  'user_group/add_members': (state, { group_id, user_ids }) => {
    const known = group(state, group_id)
    known.members = union(known.members ?? [], user_ids)
  },
  'user_group/remove_members': (state, { group_id, user_ids }) => {
    const known = group(state, group_id)
    known.members = difference(known.members ?? [], user_ids)
  },
  'user_group/add_subgroups': (state, { group_id, direct_subgroup_ids }) => {
    const known = group(state, group_id)
    known.direct_subgroup_ids = union(known.direct_subgroup_ids ?? [], direct_subgroup_ids)
  },
  'user_group/remove_subgroups': (state, { group_id, direct_subgroup_ids }) => {
    const known = group(state, group_id)
    known.direct_subgroup_ids = difference(known.direct_subgroup_ids ?? [], direct_subgroup_ids)
  },

  user_status: (state, { id: _, type: __, user_id, ...said }) => {
    if (state.user_status === undefined) return
    const next: Thing = { ...state.user_status[user_id], ...said }
    for (const [name, value] of Object.entries(next)) if (value === '' || value === false) delete next[name]
    if (Object.keys(next).length === 0) delete state.user_status[user_id]
    else state.user_status[user_id] = next
  },
  presence: { leavesStateAlone: 'who is there is of the moment: a snapshot says it anew' },
  'typing/start': { leavesStateAlone: 'nobody keeps it' },
  'typing/stop': { leavesStateAlone: 'nobody keeps it' },
  'typing_edit_message/start': { leavesStateAlone: 'nobody keeps it' },
  'typing_edit_message/stop': { leavesStateAlone: 'nobody keeps it' },
}
