import { z } from 'zod'
import { Role } from '../caller.ts'
import { event } from '../event.ts'
import { AvatarSource, viewerCanMakeAvatarUrl } from '../objects/avatar.ts'
import { Bot } from '../objects/bot.ts'
import { isUnknownUser } from '../objects/unknown-user.ts'
import { User } from '../objects/user.ts'

/** An account was created, or became accessible; or a placeholder for one that did not. */
export const realmUserAdd = event({
  type: 'realm_user',
  op: 'add',
  fields: { person: User },
  // As the state says it to the same client.
  shape: (event, client) => {
    const person = event.person as User
    if (isUnknownUser(person) && client.capabilities.user_list_incomplete) return []
    if (!client.client_gravatar || !viewerCanMakeAvatarUrl(person)) return [event]
    return [{ ...event, person: { ...person, avatar_url: null } }]
  },
})

/** An account is not accessible any more: to guests who may not know everybody. */
export const realmUserRemove = event({
  type: 'realm_user',
  op: 'remove',
  fields: { person: z.strictObject({ user_id: z.int(), full_name: z.string() }) },
})

const person = <const Form extends z.ZodRawShape>(form: Form) => z.strictObject({ user_id: z.int(), ...form })

/** One aspect of an account changed; `person` holds `user_id` and one of the requirement's forms. */
export const realmUserUpdate = event({
  type: 'realm_user',
  op: 'update',
  fields: {
    person: z.union([
      person({ full_name: z.string() }),
      person({
        avatar_url: z.string(),
        avatar_source: AvatarSource,
        avatar_url_medium: z.string(),
        avatar_version: z.int(),
      }),
      person({ email: z.string(), timezone: z.string() }),
      person({ bot_owner_id: z.int() }),
      person({ role: Role }),
      person({ delivery_email: z.string().nullable() }),
      person({ new_email: z.string() }),
      person({
        custom_profile_field: z.strictObject({
          id: z.int(),
          /** Null when it was taken back. */
          value: z.string().nullable(),
          /** HTML; only for the kinds of fields that are Markdown. */
          rendered_value: z.string().optional(),
        }),
      }),
      person({ is_active: z.boolean() }),
      person({ is_imported_stub: z.literal(false) }),
      person({ date_joined: z.string() }),
    ]),
  },
})

/** A bot was created, or became the receiver's to see: its owner and administrators are told. */
export const realmBotAdd = event({ type: 'realm_bot', op: 'add', fields: { bot: Bot } })

/** Some of a bot's own properties changed. */
export const realmBotUpdate = event({
  type: 'realm_bot',
  op: 'update',
  fields: { bot: Bot.partial().required({ user_id: true }) },
})

/** A bot is not the receiver's to see any more. */
export const realmBotDelete = event({
  type: 'realm_bot',
  op: 'delete',
  fields: { bot: z.strictObject({ user_id: z.int() }) },
})

/** One setting of the organization changed. */
export const realmUpdate = event({
  type: 'realm',
  op: 'update',
  fields: { property: z.string(), value: z.json() },
})

/** Several settings changed, or such as come in this form only: permissions, the description (464), log-in methods. */
export const realmUpdateDict = event({
  type: 'realm',
  op: 'update_dict',
  fields: { property: z.literal('default'), data: z.record(z.string(), z.json()) },
})

export * from './device-events.ts'
/** The organization was deactivated: the last that its clients hear. */
export const realmDeactivated = event({ type: 'realm', op: 'deactivated', fields: { realm_id: z.int() } })

export * from './export-events.ts'
export * from './group-events.ts'
export * from './linkifier-events.ts'
export * from './personal-events.ts'
export * from './profile-events.ts'
