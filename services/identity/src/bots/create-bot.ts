import { randomBytes } from 'node:crypto'
import { botTypes, type KnownCaller, refuse, roles } from '@parley/contracts'
import { createBot as contract } from '@parley/contracts/identity/bots'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import { prepareAvatar, showAvatar } from '@parley/contracts/uploads/internals'
import { permissionsOf } from '../groups/permissions.ts'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint, type Queries } from '../room.ts'
import { insertAccount } from '../users/account-creation.ts'
import { activeCaller } from '../users/acting-user.ts'
import { emailVisibility } from '../users/email-visibility.ts'
import { announceNewUser } from '../users/user-announcements.ts'
import { fullNameFinding } from '../users/user-rules.ts'
import { isFullNameUsed } from '../users/user-store.ts'
import { announceNewBot } from './bot-announcements.ts'
import { botEmail, botTypeFinding, shortNameFinding } from './bot-rules.ts'
import { type BotRow, insertBot } from './bot-store.ts'

/** Random bytes of the token by which a receiver knows the server's calls. */
const tokenBytes = 24

/** @throws ApiError BAD_REQUEST */
const demandMayCreate = async (sql: Queries, { realm, user }: KnownCaller, type: number): Promise<void> => {
  const { may } = await permissionsOf(sql, realm.id, user.id)
  if (may('can_create_bots_group')) return
  if (type === botTypes.incomingWebhook && may('can_create_write_only_bots_group')) return
  throw refuse('BAD_REQUEST', 'Insufficient permission')
}

export const createBot = endpoint(contract, async ({ caller, params, file, deps, transaction }) => {
  const realm_host = realmHost(deps.publicUrl, caller.realm.subdomain)
  const full_name = params.full_name.trim()
  const shortName = params.short_name.trim()
  const { bot_type } = params
  const finding =
    botTypeFinding(bot_type, params.payload_url) ??
    fullNameFinding(full_name) ??
    shortNameFinding(shortName, realm_host)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  const isOutgoing = bot_type === botTypes.outgoingWebhook
  if (file !== undefined) await demandMayCreate(deps.database.sql, caller, bot_type)
  const picture = file === undefined ? undefined : await deps.ask(prepareAvatar, { bytes: file })

  return transaction(async (tx) => {
    const { sql } = tx
    await lockAccounts(sql, caller.realm.id)
    await activeCaller(sql, caller)
    await demandMayCreate(sql, caller, bot_type)
    if (await isFullNameUsed(sql, caller.realm.id, full_name)) {
      throw refuse('BAD_REQUEST', 'Name is already in use!')
    }
    const email = botEmail(shortName, realm_host)
    const made = await insertAccount(sql, deps.keys, {
      realm_id: caller.realm.id,
      realm_host,
      email,
      full_name,
      role: roles.member,
      password_hash: null,
      email_address_visibility: emailVisibility.everyone,
      bot: { bot_type, bot_owner_id: caller.user.id },
      ...(picture === undefined ? {} : { avatar_source: 'U' }),
    })
    if (made === undefined) throw refuse('BAD_REQUEST', `Email '${email}' already in use`)
    const bot: BotRow = {
      user_id: made.user.id,
      default_sending_stream: params.default_sending_stream || null,
      default_events_register_stream: params.default_events_register_stream || null,
      default_all_public_streams: params.default_all_public_streams ?? false,
      payload_url: isOutgoing ? params.payload_url! : null,
      interface: isOutgoing ? params.interface_type : null,
      token: isOutgoing ? randomBytes(tokenBytes).toString('base64url') : null,
    }
    await insertBot(sql, bot)
    await announceNewUser(tx, made.user, realm_host)
    await announceNewBot(tx, made.user, bot)
    if (picture !== undefined) {
      // Whoever hears of the bot finds its picture; what is shown in vain, uploads takes away again.
      await deps.ask(showAvatar, { realm_id: caller.realm.id, user_id: made.user.id, picture })
    }
    return {
      user_id: made.user.id,
      api_key: made.apiKey,
      avatar_url: avatarUrl(made.user),
      default_sending_stream: bot.default_sending_stream,
      default_events_register_stream: bot.default_events_register_stream,
      default_all_public_streams: bot.default_all_public_streams,
    }
  })
})
