import { z } from 'zod'
import { AvatarSource } from '../objects/avatar.ts'
import { Bot } from '../objects/bot.ts'
import { User } from '../objects/user.ts'
import { UserGroup } from '../objects/user-group.ts'
import { section } from '../section.ts'

export const realmUserSection = section({
  service: 'identity',
  name: 'realm_user',
  fields: {
    user_id: z.int(),
    email: z.string(),
    delivery_email: z.string(),
    full_name: z.string(),
    is_admin: z.boolean(),
    is_owner: z.boolean(),
    is_moderator: z.boolean(),
    is_guest: z.boolean(),
    avatar_source: AvatarSource,
    avatar_url: z.string().nullable(),
    avatar_url_medium: z.string().nullable(),
    realm_users: z.array(User),
    realm_non_active_users: z.array(User),
    cross_realm_bots: z.array(User.extend({ is_system_bot: z.boolean() })),
  },
})

/** The bots that the caller owns; for administrators all of the organization. */
export const realmBotSection = section({
  service: 'identity',
  name: 'realm_bot',
  fields: { realm_bots: z.array(Bot) },
})

/** The server runs no bots inside itself. */
export const realmEmbeddedBotsSection = section({
  service: 'identity',
  name: 'realm_embedded_bots',
  fields: {
    realm_embedded_bots: z.array(
      z.strictObject({ name: z.string(), config: z.record(z.string(), z.json()) }),
    ),
  },
})

export const realmUserGroupsSection = section({
  service: 'identity',
  name: 'realm_user_groups',
  covers: ['user_group'],
  fields: { realm_user_groups: z.array(UserGroup) },
})
