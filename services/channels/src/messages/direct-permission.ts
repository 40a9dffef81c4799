import { refuse } from '@parley/contracts'
import { isSystemBot } from '@parley/contracts/identity/system-bots'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Realm } from '../directory/realm-store.ts'
import { isNamed } from '../permissions/find-actor.ts'
import { realmPermission } from '../permissions/realm-permissions.ts'
import type { Deps } from '../room.ts'

/**
 * Holds who may write to whom: somebody in the conversation has to be in direct_message_permission_group, and whoever begins
 * one in direct_message_initiator_group. Bots, and notes to oneself or to bots, are free.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandMayWriteTo = async (
  deps: Pick<Deps, 'users' | 'database'>,
  realm: Realm,
  sender: UserFact,
  participants: readonly UserFact[],
  recipientId: number,
): Promise<void> => {
  const isFree = (user: UserFact): boolean =>
    user.id === sender.id || user.bot_type !== null || isSystemBot(user.id)
  if (sender.bot_type !== null || isSystemBot(sender.id) || participants.every(isFree)) return
  const authorizes = realmPermission(realm, 'direct_message_permission_group')
  const authorizing = await Promise.all(participants.map((user) => isNamed(deps, user, realm, authorizes)))
  if (!authorizing.includes(true)) {
    throw refuse(
      'BAD_REQUEST',
      authorizes === realm.system_groups['role:nobody']
        ? 'Direct messages are disabled in this organization.'
        : 'This conversation does not include any users who can authorize it.',
    )
  }
  if (await isNamed(deps, sender, realm, realmPermission(realm, 'direct_message_initiator_group'))) return
  const { database } = deps
  const [earlier] = await database.guard(
    database.sql`SELECT FROM messages WHERE recipient_id = ${recipientId} LIMIT 1`,
  )
  if (earlier === undefined) {
    throw refuse('BAD_REQUEST', 'You do not have permission to initiate direct message conversations.')
  }
}
