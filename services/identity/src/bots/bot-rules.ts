import { botTypes, type CallerUser, isAtLeast, roles } from '@parley/contracts'
import { emailFinding, type Finding } from '../users/user-rules.ts'
import type { UserRow } from '../users/user-store.ts'

/** A bot's address: no mail is received there. */
export const botEmail = (shortName: string, botDomain: string): string => `${shortName}-bot@${botDomain}`

export const shortNameFinding = (shortName: string, botDomain: string): Finding =>
  shortName === '' || emailFinding(botEmail(shortName, botDomain)) !== undefined
    ? 'Bad name or username'
    : undefined

/** Bytes of a URL that servers on the way reliably take. */
const maxUrlLength = 2048

/** What is wrong with the address at which a bot is called. Where it leads is looked at when it is called. */
export const payloadUrlFinding = (text: string): Finding => {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  return isWeb && text.length <= maxUrlLength ? undefined : 'payload_url is not a URL'
}

/** What is wrong with a bot's type, and what comes with it. */
export const botTypeFinding = (type: number, payloadUrl: string | undefined): Finding => {
  switch (type) {
    case botTypes.generic:
    case botTypes.incomingWebhook:
      return undefined
    case botTypes.outgoingWebhook:
      return payloadUrlFinding(payloadUrl ?? '')
    case botTypes.embedded:
      return 'Embedded bots are not enabled.'
    default:
      return 'Invalid bot type'
  }
}

/**
 * Whether somebody may change a bot, see its key or end it: its owner, and administrators. Who has a bot's key has its
 * power, so a bot that is an organization owner is for organization owners.
 */
export const mayManageBot = (user: CallerUser, bot: Pick<UserRow, 'bot_owner_id' | 'role'>): boolean =>
  bot.bot_owner_id === user.id || isAtLeast(user, bot.role === roles.owner ? 'owner' : 'administrator')
