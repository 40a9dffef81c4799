/**
 * The server's own accounts, which speak to people in every organization. They are part of the server like its code: no
 * organization has a record of them, nobody logs in as one, and nothing can change them.
 */
import { botTypes, roles } from '../caller.ts'
import type { UserFact } from './topics.ts'

interface SystemBot {
  /** Above every number that identity gives to an account, and below 2^31, which some clients need. */
  readonly id: number
  readonly full_name: string
  /** In a domain that can never exist (RFC 2606). */
  readonly email: string
}

export const systemBots = {
  notification: {
    id: 2_000_000_001,
    full_name: 'Notification Bot',
    email: 'notification-bot@system.invalid',
  },
  welcome: { id: 2_000_000_002, full_name: 'Welcome Bot', email: 'welcome-bot@system.invalid' },
} as const satisfies Record<string, SystemBot>
export type SystemBotName = keyof typeof systemBots

const byId = new Map<number, SystemBot>(Object.values(systemBots).map((bot) => [bot.id, bot]))
const byEmail = new Map<string, SystemBot>(Object.values(systemBots).map((bot) => [bot.email, bot]))

export const isSystemBot = (id: number): boolean => byId.has(id)

/** A system bot as an account of one organization; undefined when there is none of that ID or e-mail (lower case). */
export const systemBotIn = (realm_id: number, named: number | string): UserFact | undefined => {
  const bot = typeof named === 'number' ? byId.get(named) : byEmail.get(named)
  if (bot === undefined) return undefined
  return {
    ...bot,
    realm_id,
    delivery_email: bot.email,
    role: roles.member,
    is_active: true,
    bot_type: botTypes.generic,
    bot_owner_id: null,
    avatar_source: 'G',
    avatar_version: 1,
    version: 1,
  }
}
