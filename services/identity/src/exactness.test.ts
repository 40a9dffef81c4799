/** What crosses services and the event queues themselves is raced in test/acceptance/race.test.ts. */

import { randomBytes, randomUUID } from 'node:crypto'
import { type AnyEndpoint, type AnyInternal, type KnownCaller, roles } from '@parley/contracts'
import { onboardingStepNames } from '@parley/contracts/identity/onboarding'
import { opposites, race, raceFromEnvironment } from '@parley/testkit/exactness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBot } from './bots/create-bot.ts'
import { deactivateBot } from './bots/deactivate-bot.ts'
import { updateBot } from './bots/update-bot.ts'
import { registerClientDevice } from './devices/register-client-device.ts'
import { registerPushDevice } from './devices/register-push-device.ts'
import { removeClientDevice } from './devices/remove-client-device.ts'
import { createUserGroup } from './groups/create-user-group.ts'
import { deactivateUserGroup } from './groups/deactivate-user-group.ts'
import { updateUserGroup } from './groups/update-user-group.ts'
import { updateUserGroupMembers } from './groups/update-user-group-members.ts'
import { updateUserGroupSubgroups } from './groups/update-user-group-subgroups.ts'
import { createNewcomer } from './joining/create-newcomer.ts'
import { regenerateOwnApiKey } from './keys/regenerate-own-api-key.ts'
import { addLinkifier } from './linkifiers/add-linkifier.ts'
import { addPlayground } from './linkifiers/add-playground.ts'
import { removeLinkifier } from './linkifiers/remove-linkifier.ts'
import { removePlayground } from './linkifiers/remove-playground.ts'
import { reorderLinkifiers } from './linkifiers/reorder-linkifiers.ts'
import { updateLinkifier } from './linkifiers/update-linkifier.ts'
import { markOnboardingStep } from './onboarding/mark-onboarding-step.ts'
import { addAlertWords } from './personal/add-alert-words.ts'
import { muteUser } from './personal/mute-user.ts'
import { removeAlertWords } from './personal/remove-alert-words.ts'
import { unmuteUser } from './personal/unmute-user.ts'
import { createProfileField } from './profile-fields/create-profile-field.ts'
import { removeOwnProfile } from './profile-fields/remove-own-profile.ts'
import { removeProfileField } from './profile-fields/remove-profile-field.ts'
import { reorderProfileFields } from './profile-fields/reorder-profile-fields.ts'
import { updateOwnProfile } from './profile-fields/update-own-profile.ts'
import { updateProfileField } from './profile-fields/update-profile-field.ts'
import { changeRealmPicture } from './realms/change-realm-picture.ts'
import { updateRealm } from './realms/update-realm.ts'
import { service } from './service.ts'
import { updateSettings } from './settings/update-settings.ts'
import { updateUserSettingsDefaults } from './settings/update-user-settings-defaults.ts'
import { openTestOrganization } from './test-people.ts'
import { openTestRoom, type TestRoom } from './test-room.ts'
import { changeAvatar } from './users/change-avatar.ts'
import { endUser } from './users/end-user.ts'
import { reactivateUser } from './users/reactivate-user.ts'
import { takeNewAddress } from './users/take-new-address.ts'
import { updateUser } from './users/update-user.ts'
import { userById } from './users/user-store.ts'

const { seconds, seed, longest, random, pick, word } = raceFromEnvironment()

/** What other services say: addresses are welcome, no channel uses a group, and pictures go with who had them. */
const answers: Record<string, object> = {
  'judge-address': { finding: null },
  'channels-using-group': { channels: [] },
  'doubt-avatar': {},
}

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom({ ask: (async ({ name }: AnyInternal) => answers[name]) as never })
})
afterAll(() => room.close())

const shapes = opposites({
  user_avatar_url_field_optional: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
})

/** Enough of each that acts meet each other on the same ones. */
const most = 6

const open = async () => {
  const { realm, people, person } = await openTestOrganization(room)
  const { owner, administrator, member, guest } = people
  /** Goes through all roles; what it knows of itself is always out of date. */
  const climber = await person('climber')
  const others = await Promise.all(['one', 'two', 'three'].map((name) => person(name)))
  const [outgoing] = others
  const followers = [owner, administrator, member, guest, climber]
  const everybody = [...followers, people.moderator, ...others]
  const made = {
    people: others.map(({ user }) => user.id),
    bots: [] as number[],
    groups: [] as number[],
    linkifiers: [] as number[],
    playgrounds: [] as number[],
    fields: [] as number[],
    devices: [] as number[],
  }
  const call = async <E extends AnyEndpoint>(
    handler: Parameters<typeof room.call<E>>[0],
    caller: KnownCaller,
    sent: Record<string, unknown> = {},
    path: Record<string, unknown> = {},
  ) => {
    const text = (values: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      )
    return room.call(handler, caller, text(sent), text(path))
  }
  const anyId = (of: readonly number[]) => pick(of) ?? 0
  const someone = () => pick(followers)!
  const manager = () => pick([owner, administrator])!
  const anybodyId = () => anyId([...everybody.map(({ user }) => user.id), ...made.people, ...made.bots])
  const yes = () => random() < 0.5
  /** Some of these, in an order of their own. */
  const some = (of: readonly number[]) => of.filter(yes).toSorted(() => random() - 0.5)
  const shuffled = (of: readonly number[]) => of.toSorted(() => random() - 0.5)
  const grown = async (list: number[], make: () => Promise<number>): Promise<void> => {
    if (list.length < most) list.push(await make())
  }
  const forgotten = async (list: number[], take: (id: number) => Promise<unknown>): Promise<void> => {
    const id = anyId(list)
    await take(id)
    list.splice(list.indexOf(id), 1)
  }
  const anonymous = () => ({
    direct_members: [...new Set([owner.user.id, anyId(made.people)])].sort((one, other) => one - other),
    direct_subgroups: made.groups.slice(0, 1),
  })
  const options = () =>
    Object.fromEntries(
      ['a', 'b', 'c']
        .filter((key) => key === 'a' || yes())
        .map((key, place) => [key, { text: key, order: String(place) }]),
    )
  const settingsOf = () =>
    pick([
      { color_scheme: pick([1, 2, 3]), enable_sounds: yes() },
      { twenty_four_hour_time: pick([true, false, null]) },
      { timezone: pick(['Europe/Vienna', 'Asia/Tokyo', '']) },
      { full_name: word() },
      { email_address_visibility: pick([1, 2, 3, 4, 5]) },
      { allow_private_data_export: yes() },
    ])!
  const path = (user_id: number) => ({ user_id })
  const acts: readonly (() => Promise<unknown>)[] = [
    // Accounts.
    () =>
      grown(made.people, async () => {
        const { user_id } = await room.ask(createNewcomer, {
          ...{ name: randomUUID(), realm_id: realm.id, email: `${word()}@b.example`, full_name: word() },
          ...{ role: pick([roles.administrator, roles.member, roles.guest])!, password_hash: 'none' },
          ...{ group_ids: some(made.groups), welcome_message_custom_text: null },
        })
        return user_id
      }),
    () => call(updateUser, owner, { full_name: word() }, path(anybodyId())),
    () => call(updateUser, owner, { role: pick(Object.values(roles)) }, path(climber.user.id)),
    () => call(updateUser, owner, { role: pick(Object.values(roles)) }, path(climber.user.id)),
    () => call(updateUser, owner, { role: pick(Object.values(roles)) }, path(anyId(made.people))),
    async () => {
      const { user } = pick(everybody)!
      const { delivery_email } = (await userById(room.deps.database.sql, realm.id, user.id))!
      const addresses = { old_email: delivery_email, new_email: `${word()}@b.example` }
      return room.ask(takeNewAddress, { realm_id: realm.id, user_id: user.id, ...addresses })
    },
    () => room.ask(changeAvatar, { realm_id: realm.id, user_id: anybodyId(), is_uploaded: yes() }),
    () => call(endUser, manager(), {}, path(anyId(made.people))),
    () =>
      random() < 0.2
        ? forgotten(made.people, (id) =>
            call(endUser, owner, { actions: { delete_profile: true } }, path(id)),
          )
        : call(reactivateUser, manager(), {}, path(anyId([...made.people, ...made.bots]))),
    () => call(reactivateUser, manager(), {}, path(anyId(made.people))),
    // Bots.
    () =>
      grown(made.bots, async () => {
        const sent = { full_name: word(), short_name: word(), bot_type: 3, payload_url: 'http://b.example' }
        return (await call(createBot, pick([member, administrator, outgoing!])!, sent)).user_id
      }),
    () => call(updateBot, manager(), { bot_owner_id: anybodyId() }, { bot_id: anyId(made.bots) }),
    () => call(updateBot, member, { full_name: word() }, { bot_id: anyId(made.bots) }),
    () => call(updateBot, owner, { role: pick(Object.values(roles)) }, { bot_id: anyId(made.bots) }),
    () =>
      call(
        ...([
          updateBot,
          manager(),
          { default_sending_stream: word(), service_interface: pick([1, 2]) },
        ] as const),
        { bot_id: anyId(made.bots) },
      ),
    () => call(deactivateBot, manager(), {}, { bot_id: anyId(made.bots) }),
    // Groups.
    () =>
      grown(made.groups, async () => {
        const sent = {
          name: word(),
          description: '',
          members: some(made.people),
          subgroups: some(made.groups),
        }
        return (await call(createUserGroup, owner, sent)).group_id
      }),
    () => call(updateUserGroup, owner, { name: word() }, { user_group_id: anyId(made.groups) }),
    () =>
      call(
        ...([
          updateUserGroup,
          owner,
          { can_mention_group: { new: anonymous() }, description: word() },
        ] as const),
        { user_group_id: anyId(made.groups) },
      ),
    () =>
      call(...([updateUserGroupMembers, owner, { [pick(['add', 'delete'])!]: [anybodyId()] }] as const), {
        user_group_id: anyId(made.groups),
      }),
    () =>
      call(
        ...([updateUserGroupSubgroups, owner, { [pick(['add', 'delete'])!]: [anyId(made.groups)] }] as const),
        { user_group_id: anyId(made.groups) },
      ),
    () => call(deactivateUserGroup, owner, {}, { user_group_id: anyId(made.groups) }),
    () => call(updateUserGroup, owner, { deactivated: false }, { user_group_id: anyId(made.groups) }),
    // The organization.
    () => call(updateRealm, owner, { name: word(), description: word() }),
    () => call(updateRealm, manager(), { digest_weekday: pick([0, 1, 2, 3]) }),
    () => call(updateRealm, manager(), { topics_policy: pick(['allow_empty_topic', 'disable_empty_topic']) }),
    () => call(updateRealm, owner, { can_resolve_topics_group: { new: anonymous() } }),
    () => call(updateRealm, owner, { waiting_period_threshold: pick([0, 3]) }),
    () => call(updateRealm, owner, { authentication_methods: { Dev: yes(), LDAP: yes() } }),
    () =>
      room.ask(changeRealmPicture, {
        realm_id: realm.id,
        picture: pick(['icon', 'night_logo'] as const)!,
        is_uploaded: yes(),
      }),
    () =>
      call(updateUserSettingsDefaults, manager(), { color_scheme: pick([1, 2, 3]), enable_sounds: yes() }),
    () =>
      grown(made.linkifiers, async () => {
        const sent = { pattern: `${word()}-(?P<id>\\d+)`, url_template: 'http://b.example/{id}' }
        return (await call(addLinkifier, manager(), sent)).id
      }),
    () => {
      const sent = { url_template: `http://b.example/${word()}/{id}` }
      return call(updateLinkifier, manager(), sent, { filter_id: anyId(made.linkifiers) })
    },
    () => call(reorderLinkifiers, manager(), { ordered_linkifier_ids: shuffled(made.linkifiers) }),
    () => forgotten(made.linkifiers, (filter_id) => call(removeLinkifier, manager(), {}, { filter_id })),
    () =>
      grown(made.playgrounds, async () => {
        const sent = { name: word(), pygments_language: 'C', url_template: 'http://b.example/{code}' }
        return (await call(addPlayground, manager(), sent)).id
      }),
    () =>
      forgotten(made.playgrounds, (playground_id) =>
        call(removePlayground, manager(), {}, { playground_id }),
      ),
    // Profiles.
    () =>
      grown(made.fields, async () => {
        const field = pick([{ field_type: 1 }, { field_type: 3, field_data: options() }])
        return (await call(createProfileField, manager(), { name: word(), ...field })).id
      }),
    () =>
      call(
        ...([updateProfileField, manager(), yes() ? { field_data: options() } : { hint: word() }] as const),
        { field_id: anyId(made.fields) },
      ),
    () => call(reorderProfileFields, manager(), { order: shuffled(made.fields) }),
    () =>
      random() < 0.3
        ? forgotten(made.fields, (field_id) => call(removeProfileField, manager(), {}, { field_id }))
        : call(removeOwnProfile, someone(), { data: some(made.fields) }),
    () =>
      call(updateOwnProfile, pick(everybody)!, {
        data: some(made.fields).map((id) => ({ id, value: pick(['a', 'b', 'c']) })),
      }),
    () => {
      const profile_data = some(made.fields).map((id) => ({ id, value: pick(['a', 'b', 'c', null]) }))
      return call(updateUser, owner, { profile_data }, path(anybodyId()))
    },
    // What people choose for themselves.
    () => call(updateSettings, pick(everybody)!, settingsOf()),
    () => call(updateSettings, pick(everybody)!, settingsOf()),
    () =>
      call(updateSettings, manager(), {
        target_users: {
          user_ids: some(everybody.map(({ user }) => user.id)),
          group_ids: made.groups.slice(0, 1),
        },
        color_scheme: pick([1, 2, 3]),
      }),
    () => call(addAlertWords, someone(), { alert_words: [pick(['a', 'b', 'c', 'd'])] }),
    () => call(removeAlertWords, someone(), { alert_words: [pick(['a', 'b', 'c', 'd'])] }),
    () => call(muteUser, someone(), {}, { muted_user_id: anybodyId() }),
    () => call(unmuteUser, someone(), {}, { muted_user_id: anybodyId() }),
    () => call(markOnboardingStep, someone(), { onboarding_step: pick(onboardingStepNames) }),
    () => grown(made.devices, async () => (await call(registerClientDevice, member)).device_id),
    () => {
      const push_key = Buffer.concat([Buffer.of(0x31), randomBytes(32)]).toString('base64')
      const token = { token_kind: 'fcm', token_id: randomBytes(8).toString('base64') }
      return call(registerPushDevice, member, {
        ...{ device_id: anyId(made.devices), push_key_id: Math.floor(random() * 100), push_key, ...token },
        ...{ bouncer_public_key: 'k', encrypted_push_registration: 'e' },
      })
    },
    () => call(regenerateOwnApiKey, member),
    () => forgotten(made.devices, (device_id) => call(removeClientDevice, member, { device_id })),
  ]
  return { followers, acts }
}

it(
  `whatever commits around a registration, what follows continues it (EXACTNESS_SEED=${seed})`,
  async () => {
    const { followers, acts } = await open()
    const { faults, departures, schedules, kinds } = await race({
      ...{ seconds, pick, acts },
      deps: room.deps,
      sections: service.sections,
      followers: followers.flatMap((caller) => shapes.map((shape) => ({ caller, shape }))),
    })
    expect(faults).toEqual([])
    expect(departures).toEqual([])
    expect(schedules).toBeGreaterThan(1000)
    expect(kinds.size).toBeGreaterThan(20)
  },
  longest,
)
