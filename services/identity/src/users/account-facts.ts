import type { AnyEvent } from '@parley/contracts'
import { botsTopic, type UserFact, usersTopic } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { botFact } from '../bots/bot-presentation.ts'
import { botById } from '../bots/bot-store.ts'
import type { UserRow } from './user-store.ts'

/** What other services keep of an account. */
export const userFact = (user: UserRow): UserFact => ({
  id: user.id,
  realm_id: user.realm_id,
  email: user.email,
  delivery_email: user.delivery_email,
  full_name: user.full_name,
  role: user.role,
  is_active: user.is_active,
  bot_type: user.bot_type,
  bot_owner_id: user.bot_owner_id,
  avatar_source: user.avatar_source,
  avatar_version: user.avatar_version,
  date_joined: user.date_joined,
  key_version: user.key_version,
  ...(user.sessions_since === null ? {} : { sessions_since: user.sessions_since }),
  ...(user.spared_session === null ? {} : { spared_session: user.spared_session }),
  version: user.version,
})

/** Tells other services how an account is now. To be called in every transaction that changes one. */
export const publishAccount = async <Events extends AnyEvent>(
  tx: Tx<Events>,
  user: UserRow,
): Promise<void> => {
  tx.publish(usersTopic, user.id, userFact(user))
  if (user.bot_type === null) return
  const bot = await botById(tx.sql, user.id)
  if (bot !== undefined) tx.publish(botsTopic, user.id, botFact(user, bot))
}
