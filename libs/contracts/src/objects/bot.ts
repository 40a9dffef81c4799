import { z } from 'zod'

/** How the server calls an outgoing-webhook bot: 1 its own form, 2 Slack-like. */
export const BotInterface = z.literal([1, 2])

export const OutgoingService = z.strictObject({
  base_url: z.string(),
  interface: BotInterface,
  token: z.string(),
})

/** The bot object of register and events (facts, section 1; level 474 left the account's own fields to User). */
export const Bot = z.strictObject({
  user_id: z.int(),
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
  /** One element for outgoing-webhook bots, none for others. */
  services: z.array(OutgoingService),
})
export type Bot = z.infer<typeof Bot>
