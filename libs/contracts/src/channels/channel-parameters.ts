/** Parameters that describe a channel, shared by the endpoints that make and change channels. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { type ChannelPermission, TopicsPolicy } from '../objects/channel.ts'
import { codePoints, GroupSettingUpdate, GroupSettingValue, Id } from '../objects/values.ts'
import { either, quotable } from '../parameter.ts'
import { channelPermissionNames } from './permission-settings.ts'

const forEachPermission = <S extends z.ZodType>(schema: S): Record<ChannelPermission, S> =>
  Object.fromEntries(channelPermissionNames.map((name) => [name, schema])) as Record<ChannelPermission, S>

export const ChannelDescription = z
  .string()
  .refine((text) => codePoints(text) <= limits.maxChannelDescriptionLength, {
    message: `description is too long (limit: ${limits.maxChannelDescriptionLength} characters)`,
  })

/** Days; null: as the organization says; -1: for ever. */
const Retention = either(
  z.union([
    z.int().positive(),
    z.literal('realm_default').transform(() => null),
    z.literal(['unlimited', 'forever']).transform(() => -1 as const),
  ]),
)

/** Of a channel that exists. */
export const changedChannel = {
  is_web_public: z.boolean().optional(),
  is_default_stream: z.boolean().optional(),
  history_public_to_subscribers: z.boolean().optional(),
  message_retention_days: Retention.optional(),
  topics_policy: quotable(TopicsPolicy).optional(),
  folder_id: Id.nullable().optional(),
  default_push_notifications: z.boolean().optional(),
}

export const changedPermissions = forEachPermission(GroupSettingUpdate.optional())

/** Of channels to be made. */
export const newChannel = {
  invite_only: z.boolean().default(false),
  ...changedChannel,
  ...forEachPermission(GroupSettingValue.optional()),
}

/** Whom, and of what, the making of a channel and new subscriptions are told by message. */
export const tellings = {
  announce: z.boolean().default(false),
  send_new_subscription_messages: z.boolean().default(true),
}

/** Who is in the channels that are told of: nobody, everybody, or at least those who matter; booleans in any case. */
export const IncludeSubscribers = either(
  z.union([
    z.boolean(),
    z.literal('partial'),
    z
      .string()
      .regex(/^(true|false)$/i)
      .transform((word) => word.toLowerCase() === 'true'),
  ]),
)
