import { systemBotIn, systemBots } from '@parley/contracts/identity/system-bots'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import type { User } from '@parley/contracts/objects/user'
import { roleFlags } from './user-presentation.ts'

/** The first day of this server's interface; system bots have been there ever since. */
const dateJoined = '2026-01-01T00:00:00+00:00'

type SystemBotObject = User & { readonly is_system_bot: boolean }

/** A system bot by its ID or e-mail (in lower case), as clients know it; undefined when there is none. */
export const systemBotObject = (
  named: number | string,
  clientMakesAvatarUrls: boolean,
): SystemBotObject | undefined => {
  // They are the same in every organization.
  const bot = systemBotIn(0, named)
  if (bot === undefined) return undefined
  return {
    user_id: bot.id,
    delivery_email: bot.delivery_email,
    email: bot.email,
    full_name: bot.full_name,
    date_joined: dateJoined,
    is_active: true,
    ...roleFlags(bot),
    is_bot: true,
    bot_type: bot.bot_type,
    bot_owner_id: null,
    role: bot.role,
    timezone: '',
    avatar_url: clientMakesAvatarUrls ? null : avatarUrl(bot),
    avatar_version: bot.avatar_version,
    is_imported_stub: false,
    is_system_bot: true,
  }
}

/** The server's own accounts. */
export const systemBotObjects = (clientMakesAvatarUrls: boolean): SystemBotObject[] =>
  Object.values(systemBots).map(({ id }) => systemBotObject(id, clientMakesAvatarUrls)!)
