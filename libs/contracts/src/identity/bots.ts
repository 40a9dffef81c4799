import { z } from 'zod'
import { Role } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { BotInterface } from '../objects/bot.ts'
import { Id } from '../objects/values.ts'
import { quotable } from '../parameter.ts'
import { activationEvents } from './activation-events.ts'
import {
  realmBotAdd,
  realmBotUpdate,
  realmExportConsent,
  realmUserAdd,
  realmUserUpdate,
  userGroupAddMembers,
} from './events.ts'
import { roleEvents } from './role-events.ts'

const defaults = {
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
}

/** The empty name stands for none. */
const defaultParams = {
  default_sending_stream: z.string().optional(),
  default_events_register_stream: z.string().optional(),
  default_all_public_streams: z.boolean().optional(),
}

/** The bot's picture; a bot without one has the organization's usual kind. */
const avatar = {
  name: 'avatar',
  mebibytes: limits.maxAvatarFileSizeMib,
  several: 'You may only upload one file at a time',
}

export const createBot = endpoint({
  method: 'POST',
  path: '/bots',
  service: 'identity',
  summary: 'Create a bot that the caller owns.',
  access: 'human',
  params: {
    full_name: z.string(),
    /** The part of the bot's address before `-bot@`. */
    short_name: z.string(),
    bot_type: z.int().default(1),
    /** Outgoing-webhook bots only: where the bot is called. */
    payload_url: quotable(z.string()).optional(),
    interface_type: BotInterface.default(1),
    ...defaultParams,
  },
  file: avatar,
  reply: { user_id: z.int(), api_key: z.string(), avatar_url: z.string(), ...defaults },
  errors: ['BAD_IMAGE'],
  emits: [realmUserAdd, realmUserUpdate, realmExportConsent, userGroupAddMembers, realmBotAdd],
})

export const listBots = endpoint({
  method: 'GET',
  path: '/bots',
  service: 'identity',
  summary: 'The bots that the caller owns, with their keys.',
  access: 'human',
  params: {},
  reply: {
    bots: z.array(
      z.strictObject({
        username: z.string(),
        full_name: z.string(),
        api_key: z.string(),
        avatar_url: z.string(),
        ...defaults,
      }),
    ),
  },
})

export const updateBot = endpoint({
  method: 'PATCH',
  path: '/bots/{bot_id}',
  service: 'identity',
  summary: "Change a bot; for the bot's owner and administrators.",
  access: 'authenticated',
  params: {
    bot_id: Id,
    full_name: z.string().optional(),
    /** Administrators only; owners only to give or take the owner role. */
    role: Role.optional(),
    bot_owner_id: z.int().optional(),
    short_name: z.string().optional(),
    service_payload_url: quotable(z.string()).optional(),
    service_interface: BotInterface.optional(),
    ...defaultParams,
  },
  file: avatar,
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL', 'BAD_IMAGE'],
  emits: [...roleEvents, realmBotUpdate],
})

export const deactivateBot = endpoint({
  method: 'DELETE',
  path: '/bots/{bot_id}',
  service: 'identity',
  summary: "Deactivate a bot; for the bot's owner and administrators.",
  access: 'authenticated',
  params: { bot_id: Id },
  reply: {},
  emits: activationEvents,
})

export const getBotApiKey = endpoint({
  method: 'GET',
  path: '/bots/{bot_id}/api_key',
  service: 'identity',
  summary: "A bot's API key; for the bot's owner and administrators.",
  since: 463,
  access: 'authenticated',
  params: { bot_id: Id },
  reply: { api_key: z.string() },
})

export const regenerateBotApiKey = endpoint({
  method: 'POST',
  path: '/bots/{bot_id}/api_key/regenerate',
  service: 'identity',
  summary: "Replace a bot's API key; for the bot's owner and administrators.",
  access: 'authenticated',
  params: { bot_id: Id },
  reply: { api_key: z.string() },
})
