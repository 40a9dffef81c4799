import { roles } from '@parley/contracts'
import { realmUserSection as contract } from '@parley/contracts/identity/sections'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import { unknownUser, unknownUserAvatarUrl } from '@parley/contracts/objects/unknown-user'
import type { User } from '@parley/contracts/objects/user'
import type { SnapshotSql } from '@parley/db'
import { Pages } from '@parley/kit'
import type { TextCache } from '@parley/kit/text-cache'
import { knownTo } from '../acquaintances/known-accounts.ts'
import { type Permissions, permissionsOf } from '../groups/permissions.ts'
import { realmHost } from '../realms/realm-address.ts'
import { realmById } from '../realms/realm-store.ts'
import { pagedSection } from '../room.ts'
import { type AccountPage, accountPages } from './account-pages.ts'
import { dummyEmail, type EmailOwner, seesEmail } from './email-visibility.ts'
import { seenUsers } from './seen-users.ts'
import { areUsersShownToAnybody, seenFromOutside } from './spectators.ts'
import { systemBotObjects } from './system-bot-objects.ts'
import { roleFlags } from './user-presentation.ts'
import { type UserRow, userById, usersBetween } from './user-store.ts'

/** "Unlike the usual User dictionary, this does not contain the is_active key": the list says it. */
const listed = ({ is_active: _, ...user }: User) => user

type Listed = ReturnType<typeof listed>

/** Accounts of an organization, as somebody sees them, of whom some may be shown as active who are not. */
interface Directory {
  readonly sql: SnapshotSql
  readonly realmId: number
  readonly showsEndedAsActive: boolean
  readonly texts: TextCache
  /** Names how a page is seen, alike for all who see it so; undefined where nobody else does. */
  nameOf(page: AccountPage): string | undefined
  present(page: readonly UserRow[]): User[] | Promise<User[]>
}

/** Those of a page that are active, or that are not, as the JSON texts of a list. */
const writtenOf = async (directory: Directory, page: AccountPage, isActive: boolean): Promise<string> => {
  const { sql, realmId, showsEndedAsActive, present } = directory
  const wanted = showsEndedAsActive && isActive ? undefined : isActive
  const users = await present(await usersBetween(sql, realmId, page, wanted))
  const shown = users.filter((user) => user.is_active === isActive)
  return shown.map((user) => JSON.stringify(listed(user))).join()
}

const listOf = (directory: Directory, isActive: boolean): Pages<Listed> =>
  new Pages(async function* () {
    const { sql, realmId, texts, nameOf } = directory
    for (const page of await accountPages(sql, realmId)) {
      const seen = nameOf(page)
      const name = seen === undefined ? undefined : `${page.state} ${isActive ? 'active' : 'ended'} ${seen}`
      const kept = name === undefined ? undefined : texts.get(name)
      const text = kept ?? (await writtenOf(directory, page, isActive))
      if (name !== undefined && kept === undefined) texts.set(name, text)
      yield text
    }
  })

const noList = new Pages<Listed>(async function* () {})

const grouped = (directory: Directory | undefined, clientMakesUrls: boolean) => ({
  realm_users: directory === undefined ? noList : listOf(directory, true),
  realm_non_active_users: directory === undefined ? noList : listOf(directory, false),
  cross_realm_bots: systemBotObjects(clientMakesUrls),
})

/** What the caller may, in the words of older clients. */
const abilities = (may: Permissions['may'], canCreateWebPublic: boolean) => {
  const can_create_public_streams = may('can_create_public_channel_group')
  const can_create_private_streams = may('can_create_private_channel_group')
  return {
    can_create_streams: can_create_private_streams || can_create_public_streams,
    can_create_private_streams,
    can_create_public_streams,
    can_create_web_public_streams: canCreateWebPublic,
    can_subscribe_other_users: may('can_add_subscribers_group'),
    can_invite_others_to_realm: may('can_invite_users_group'),
  }
}

/** Somebody without an account, as clients are told of themselves. No account has this ID. */
const nobody = {
  user_id: 0,
  email: '',
  delivery_email: '',
  full_name: 'Anonymous User',
  is_admin: false,
  is_owner: false,
  is_moderator: false,
  // What guests may not, they may not either.
  is_guest: true,
  avatar_source: 'G' as const,
  avatar_url: unknownUserAvatarUrl,
  avatar_url_medium: unknownUserAvatarUrl,
  ...abilities(() => false, false),
}

export const realmUserSection = pagedSection(
  contract,
  async ({ caller: claimed, options, sql, deps }) => {
    const own = await userById(sql, claimed.realm.id, claimed.user.id)
    if (own === undefined) throw new Error(`account ${claimed.user.id} is not in its organization`)
    // The role in the token may be seconds old, and what a new one shows is told to who had registered before.
    const caller = { ...claimed, user: { ...claimed.user, role: own.role } }
    // "custom profile fields are always there in this snapshot" is what clients of the public API rely on.
    const wishes = { client_gravatar: options.client_gravatar, include_custom_profile_fields: true }
    const knows = await knownTo(sql, caller)
    // Clients that need a complete list have placeholders in it.
    const showsUnknown = knows !== undefined && options.client_capabilities?.user_list_incomplete !== true
    const host = realmHost(deps.publicUrl, caller.realm.subdomain)
    const present = async (page: readonly UserRow[]): Promise<User[]> => {
      const known = knows === undefined ? page : page.filter(knows)
      const seen = await seenUsers(sql, caller, known, wishes)
      if (!showsUnknown) return seen
      const unknown = page.filter((user) => !knows(user))
      return [...seen, ...unknown.map(({ id }) => unknownUser(id, dummyEmail(id, host)))]
    }
    const nameOf = ({ after, last, visibilities }: AccountPage): string | undefined => {
      const sees = (owner: EmailOwner): boolean => seesEmail({ id: 0, role: caller.user.role }, owner)
      // One's own address is shown to oneself, whoever else may not see it.
      if (after < own.id && own.id <= last && !sees(own)) return undefined
      const shown = visibilities.filter((setting) =>
        sees({ id: 1, bot_type: null, email_address_visibility: setting }),
      )
      return `${wishes.client_gravatar ? 'without' : 'with'} pictures, addresses of ${shown}`
    }
    const directory = {
      ...{ sql, realmId: caller.realm.id, showsEndedAsActive: showsUnknown, texts: deps.accountTexts },
      // Limited guests know different people each.
      nameOf: knows === undefined ? nameOf : () => undefined,
      present,
    }
    const realm = await realmById(sql, caller.realm.id)
    const { may } = await permissionsOf(sql, caller.realm.id, own.id)
    const showsToAnybody = realm!.settings.enable_spectator_access === true
    return {
      user_id: own.id,
      email: own.email,
      delivery_email: own.delivery_email,
      full_name: own.full_name,
      ...roleFlags(own),
      // "at least an organization moderator" (level 380)
      is_moderator: own.role <= roles.moderator,
      avatar_source: own.avatar_source,
      // Whole for every client: the settings show it in sizes that clients do not make themselves.
      avatar_url: avatarUrl(own),
      avatar_url_medium: avatarUrl(own, 'medium'),
      ...abilities(may, showsToAnybody && may('can_create_web_public_channel_group')),
      ...grouped(directory, options.client_gravatar),
    }
  },
  async ({ realm: { id }, options, sql, deps }) => {
    const realm = (await realmById(sql, id))!
    const directory = {
      ...{ sql, realmId: id, showsEndedAsActive: false, texts: deps.accountTexts },
      nameOf: () => 'from outside',
      present: (page: readonly UserRow[]): User[] => page.map((user) => seenFromOutside(user)),
    }
    return {
      ...nobody,
      ...grouped(areUsersShownToAnybody(realm) ? directory : undefined, options.client_gravatar),
    }
  },
)
