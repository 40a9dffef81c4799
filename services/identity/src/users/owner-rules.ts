import { refuse, roles } from '@parley/contracts'
import type { Queries } from '../room.ts'
import type { ActingUser } from './acting-user.ts'
import type { UserRow } from './user-store.ts'

/** Whether an account is a person, active, and an owner of its organization. */
const isOwner = (user: UserRow): boolean =>
  user.role === roles.owner && user.is_active && user.bot_type === null

/** "Only owners may add or remove the owner role": also by ending an owner's account, and by bringing it back. */
export const demandOwnerForOwner = (actor: ActingUser, ...concerned: readonly number[]): void => {
  if (concerned.includes(roles.owner) && actor.role !== roles.owner) {
    throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner')
  }
}

/**
 * Whether the organization has no other owner who is a person: "the owner role cannot be removed from the only owner".
 * To be asked under `lockAccounts`, so that two owners cannot remove each other at once.
 */
export const isOnlyOwner = async (sql: Queries, user: UserRow): Promise<boolean> => {
  if (!isOwner(user)) return false
  const others = await sql`
    SELECT FROM users
    WHERE realm_id = ${user.realm_id} AND role = 100 AND is_active AND bot_type IS NULL AND id <> ${user.id}
    LIMIT 1`
  return others.count === 0
}

/** Whether nobody else is active in the organization. */
export const isOnlyPerson = async (sql: Queries, user: UserRow): Promise<boolean> => {
  const others = await sql`
    SELECT FROM users
    WHERE realm_id = ${user.realm_id} AND is_active AND bot_type IS NULL AND id <> ${user.id}
    LIMIT 1`
  return others.count === 0
}
