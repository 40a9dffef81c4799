import { refuse } from '@parley/contracts'
import { isSystemBot } from '@parley/contracts/identity/system-bots'
import type { Wildcard } from '@parley/markdown'
import type { Realm } from '../directory/realm-store.ts'
import type { Person } from '../permissions/actor.ts'
import { isNamed } from '../permissions/find-actor.ts'
import { realmPermission } from '../permissions/realm-permissions.ts'
import type { Deps } from '../room.ts'

/** How many people anybody may call at once; more need can_mention_many_users_group. */
const fewPeople = 15

/**
 * Holds who may call many people at once.
 *
 * @throws ApiError STREAM_WILDCARD_MENTION_NOT_ALLOWED, TOPIC_WILDCARD_MENTION_NOT_ALLOWED
 */
export const demandMayCallMany = async (
  deps: Pick<Deps, 'users' | 'database'>,
  realm: Realm,
  author: Person,
  called: Readonly<Partial<Record<Wildcard, number>>>,
): Promise<void> => {
  const isForMany = (count: number | undefined): boolean => count !== undefined && count > fewPeople
  if (!isForMany(called.channel) && !isForMany(called.topic)) return
  if (isSystemBot(author.id)) return
  if (await isNamed(deps, author, realm, realmPermission(realm, 'can_mention_many_users_group'))) return
  throw isForMany(called.channel)
    ? refuse(
        'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
        'You do not have permission to use channel wildcard mentions in this channel.',
      )
    : refuse(
        'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
        'You do not have permission to use topic wildcard mentions in this topic.',
      )
}
