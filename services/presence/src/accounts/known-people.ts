import { type Caller, roles } from '@parley/contracts'
import { acquaintances } from '@parley/contracts/channels/internals'
import type { Deps } from '../room.ts'

/** Whether the caller may know an account. */
export type MayKnow = (account: { readonly id: number; readonly bot_type: number | null }) => boolean

/**
 * Whom a caller may know: undefined for everybody. Guests of an organization that limits them know bots, and the people
 * with whom they share a channel or a direct conversation.
 */
export const knownPeople = async (
  { ask, rules }: Pick<Deps, 'ask' | 'rules'>,
  { realm, user }: Pick<Caller, 'realm' | 'user'>,
): Promise<MayKnow | undefined> => {
  if (user === null || user.role !== roles.guest || !rules.of(realm.id).areGuestsLimited) return undefined
  const { user_ids } = await ask(acquaintances, { realm_id: realm.id, user_id: user.id })
  const known = new Set(user_ids)
  return ({ id, bot_type }) => bot_type !== null || known.has(id)
}
