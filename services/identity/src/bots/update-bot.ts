import { botTypes, isAtLeast, type KnownCaller, roles } from '@parley/contracts'
import { updateBot as contract } from '@parley/contracts/identity/bots'
import { prepareAvatar, showAvatar } from '@parley/contracts/uploads/internals'
import { followGuestRole } from '../acquaintances/acquaintance-changes.ts'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { publishAccount } from '../users/account-facts.ts'
import { announceRole, announceUserForms } from '../users/user-announcements.ts'
import { fullNameFinding } from '../users/user-rules.ts'
import { isEmailUsed, isFullNameUsed, type UserChanges, updateUser, userById } from '../users/user-store.ts'
import { announceBotChange, announceBotMoved } from './bot-announcements.ts'
import { botObject } from './bot-presentation.ts'
import { botEmail, payloadUrlFinding, shortNameFinding } from './bot-rules.ts'
import { type BotChanges, botById, updateBotRow } from './bot-store.ts'
import { demandBot } from './demand-bot.ts'

/** Only what is there; an empty channel name stands for none. */
const rowChanges = (params: {
  default_sending_stream?: string | undefined
  default_events_register_stream?: string | undefined
  default_all_public_streams?: boolean | undefined
  service_payload_url?: string | undefined
  service_interface?: 1 | 2 | undefined
}): BotChanges =>
  Object.fromEntries(
    Object.entries({
      default_sending_stream: params.default_sending_stream === '' ? null : params.default_sending_stream,
      default_events_register_stream:
        params.default_events_register_stream === '' ? null : params.default_events_register_stream,
      default_all_public_streams: params.default_all_public_streams,
      payload_url: params.service_payload_url,
      interface: params.service_interface,
    }).filter(([, value]) => value !== undefined),
  )

const mayGiveRole = (caller: KnownCaller, before: number, after: number): boolean =>
  isAtLeast(caller.user, before === roles.owner || after === roles.owner ? 'owner' : 'administrator')

export const updateBot = endpoint(contract, async ({ caller, params, file, deps, transaction, refuse }) => {
  if (file !== undefined) await demandBot(deps.database.sql, caller, params.bot_id)
  const picture = file === undefined ? undefined : await deps.ask(prepareAvatar, { bytes: file })
  return transaction(async (tx) => {
    const { sql } = tx
    const realmId = caller.realm.id
    await lockAccounts(sql, realmId)
    const before = await demandBot(sql, caller, params.bot_id)
    const bot = (await botById(sql, before.id))!
    const changes: UserChanges = {}

    const fullName = params.full_name?.trim()
    if (fullName !== undefined && fullName !== before.full_name) {
      const finding = fullNameFinding(fullName)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      if (await isFullNameUsed(sql, realmId, fullName, before.id)) {
        throw refuse('BAD_REQUEST', 'Name is already in use!')
      }
      changes.full_name = fullName
    }
    if (params.role !== undefined && params.role !== before.role) {
      if (!mayGiveRole(caller, before.role, params.role)) {
        const needed = before.role === roles.owner || params.role === roles.owner ? 'owner' : 'administrator'
        throw refuse('UNAUTHORIZED_PRINCIPAL', `Must be an organization ${needed}`)
      }
      changes.role = params.role
    }
    if (params.bot_owner_id !== undefined && params.bot_owner_id !== before.bot_owner_id) {
      const owner = await userById(sql, realmId, params.bot_owner_id)
      if (owner === undefined) throw refuse('BAD_REQUEST', 'Failed to change owner, no such user')
      if (!owner.is_active) throw refuse('BAD_REQUEST', 'Failed to change owner, user is deactivated')
      if (owner.bot_type !== null) {
        throw refuse('BAD_REQUEST', "Failed to change owner, bots can't own other bots")
      }
      changes.bot_owner_id = owner.id
    }
    if (params.short_name !== undefined) {
      const host = realmHost(deps.publicUrl, caller.realm.subdomain)
      const finding = shortNameFinding(params.short_name.trim(), host)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      const email = botEmail(params.short_name.trim(), host)
      if (await isEmailUsed(sql, realmId, email, before.id)) {
        throw refuse('BAD_REQUEST', `Email '${email}' already in use`)
      }
      if (email !== before.email) Object.assign(changes, { email, delivery_email: email })
    }

    if (picture !== undefined) {
      Object.assign(changes, { avatar_source: 'U', avatar_version: before.avatar_version + 1 })
    }

    const ofBot = rowChanges(params)
    if (ofBot.payload_url !== undefined || ofBot.interface !== undefined) {
      if (before.bot_type !== botTypes.outgoingWebhook) {
        throw refuse('BAD_REQUEST', 'Only outgoing webhook bots are called.')
      }
      const finding = ofBot.payload_url === undefined ? undefined : payloadUrlFinding(ofBot.payload_url ?? '')
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    }
    const changesBot = Object.keys(ofBot).length > 0
    if (!changesBot && Object.keys(changes).length === 0) return {}

    const after = await updateUser(sql, realmId, before.id, changes)
    const botAfter = changesBot ? await updateBotRow(sql, before.id, ofBot) : bot
    await publishAccount(tx, after)
    await announceUserForms(tx, before, after)
    if (changes.role !== undefined) {
      await announceRole(tx, before, after)
      await followGuestRole(tx, deps.ask, before, after)
    }
    if (changes.bot_owner_id !== undefined) await announceBotMoved(tx, before, after, botAfter)
    if (changesBot) {
      const { payload_url, interface: form, ...plain } = ofBot
      const services =
        payload_url === undefined && form === undefined ? {} : { services: botObject(botAfter).services }
      await announceBotChange(tx, after, { ...plain, ...services })
    }
    if (picture !== undefined) {
      // Whoever hears of the new version finds the picture.
      await deps.ask(showAvatar, { realm_id: realmId, user_id: after.id, picture })
    }
    return {}
  })
})
