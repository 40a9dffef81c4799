import { z } from 'zod'

/** What a client said it understands when it registered (facts 3.2); every key defaults to false. */
export const ClientCapabilities = z.object({
  notification_settings_null: z.boolean().default(false),
  bulk_message_deletion: z.boolean().default(false),
  user_avatar_url_field_optional: z.boolean().default(false),
  stream_typing_notifications: z.boolean().default(false),
  user_settings_object: z.boolean().default(false),
  linkifier_url_template: z.boolean().default(false),
  user_list_incomplete: z.boolean().default(false),
  include_deactivated_groups: z.boolean().default(false),
  archived_channels: z.boolean().default(false),
  empty_topic_name: z.boolean().default(false),
  simplified_presence_events: z.boolean().default(false),
  individual_emoji_changes: z.boolean().default(false),
})
export type ClientCapabilities = z.infer<typeof ClientCapabilities>

/** All that makes two clients' renderings of one event differ, besides who they are. */
export const ClientShape = z.object({
  apply_markdown: z.boolean(),
  client_gravatar: z.boolean(),
  slim_presence: z.boolean(),
  /** Whether channels come with who is in them; not known of queues that were opened before it was kept, which get that. */
  include_subscribers: z.boolean().optional(),
  capabilities: ClientCapabilities,
})
export type ClientShape = z.infer<typeof ClientShape>
