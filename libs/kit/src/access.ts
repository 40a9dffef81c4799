import { type Access, type Caller, isAtLeast, type KnownCaller, notLoggedIn, refuse } from '@parley/contracts'

const isKnown = (caller: Caller): caller is KnownCaller => caller.user !== null

/**
 * Holds the permission class of an endpoint.
 *
 * @throws ApiError UNAUTHORIZED, UNAUTHORIZED_PRINCIPAL, PERMISSION_DENIED or BAD_REQUEST (facts, section 5).
 */
export const demandAccess = (access: Access, caller: Caller, webhookBots: boolean): void => {
  if (access === 'anyone') return
  if (!isKnown(caller)) {
    if (access === 'spectator') return
    throw notLoggedIn()
  }
  const { user } = caller
  if (user.bot_type === 2 && !webhookBots) {
    throw refuse('BAD_REQUEST', 'This API is not available to incoming webhook bots.')
  }
  switch (access) {
    case 'authenticated':
    case 'spectator':
      return
    case 'human':
      if (user.bot_type !== null) throw refuse('BAD_REQUEST', 'This endpoint does not accept bot requests.')
      return
    case 'bot':
      if (user.bot_type === null) throw refuse('PERMISSION_DENIED', 'Must be a bot user')
      return
    case 'member':
      if (!isAtLeast(user, 'member')) throw refuse('BAD_REQUEST', 'Not allowed for guest users')
      return
    case 'moderator':
      if (!isAtLeast(user, 'moderator')) {
        throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization moderator')
      }
      return
    case 'administrator':
      if (!isAtLeast(user, 'administrator')) {
        throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization administrator')
      }
      return
    case 'owner':
      if (!isAtLeast(user, 'owner')) throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner')
  }
}
