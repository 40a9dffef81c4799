import { z } from 'zod'
import { AvatarSource } from '../objects/avatar.ts'
import { Bot } from '../objects/bot.ts'
import { User } from '../objects/user.ts'
import { UserGroup } from '../objects/user-group.ts'
import { GroupSettingValue } from '../objects/values.ts'
import { section } from '../section.ts'
import { realmPermissionNames } from './permission-settings.ts'
import { realmServerFields } from './realm-server-fields.ts'
import { realmSettingNames, realmSettings } from './realm-settings.ts'

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
    avatar_url: z.string(),
    avatar_url_medium: z.string(),
    /** Either of the two below; legacy. */
    can_create_streams: z.boolean(),
    can_create_private_streams: z.boolean(),
    can_create_public_streams: z.boolean(),
    can_create_web_public_streams: z.boolean(),
    can_subscribe_other_users: z.boolean(),
    can_invite_others_to_realm: z.boolean(),
    realm_users: z.array(User.omit({ is_active: true })),
    realm_non_active_users: z.array(User.omit({ is_active: true })),
    cross_realm_bots: z.array(User.extend({ is_system_bot: z.boolean() })),
  },
})

/** What every registration tells of the caller's own choices ("also unconditional"). */
export const ownChoicesSection = section({
  service: 'identity',
  name: 'own_choices',
  covers: [],
  always: true,
  fields: { receives_typing_notifications: z.boolean() },
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

const realmFields: z.ZodRawShape = Object.fromEntries([
  ...realmSettingNames.map((name) => [`realm_${name}`, realmSettings[name].value]),
  ...realmPermissionNames.map((name) => [`realm_${name}`, GroupSettingValue]),
])

/** The organization, its settings, and what the server says of itself. */
export const realmSection = section({
  service: 'identity',
  name: 'realm',
  fields: {
    ...realmFields,
    realm_name: z.string(),
    realm_description: z.string(),
    realm_uri: z.string(),
    realm_url: z.string(),
    realm_uuid: z.string(),
    realm_bot_domain: z.string(),
    realm_date_created: z.int(),
    realm_icon_url: z.string(),
    realm_icon_source: z.enum(['G', 'U']),
    ...realmServerFields,
    realm_password_auth_enabled: z.boolean(),
    realm_email_auth_enabled: z.boolean(),
    realm_authentication_methods: z.record(
      z.string(),
      z.strictObject({
        enabled: z.boolean(),
        available: z.boolean(),
        /** Only where it is not available. */
        unavailable_reason: z.string().optional(),
      }),
    ),
    realm_allow_edit_history: z.boolean(),
    realm_mandatory_topics: z.boolean(),
    realm_empty_topic_display_name: z.string(),
    realm_owner_full_content_access: z.boolean(),
    realm_available_video_chat_providers: z.record(
      z.string(),
      z.strictObject({ name: z.string(), id: z.int() }),
    ),
    zulip_plan_is_not_limited: z.boolean(),
    development_environment: z.boolean(),
    server_supported_permission_settings: z.strictObject({
      realm: z.record(z.string(), z.json()),
      stream: z.record(z.string(), z.json()),
      group: z.record(z.string(), z.json()),
    }),
    password_min_length: z.int(),
    password_max_length: z.int(),
    /** Of demo organizations only. */
    demo_organization_scheduled_deletion_date: z.int().optional(),
  },
})

export * from './device-sections.ts'
export * from './linkifier-sections.ts'
export * from './personal-sections.ts'
export * from './profile-sections.ts'
export * from './server-sections.ts'
