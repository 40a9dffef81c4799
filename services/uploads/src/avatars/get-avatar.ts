import type { Caller } from '@parley/contracts'
import { findUsers } from '@parley/contracts/identity/internals'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import { getAvatar as contract, getMediumAvatar as mediumContract } from '@parley/contracts/uploads/avatars'
import { StreamedReply } from '@parley/kit'
import { type Deps, endpoint } from '../room.ts'
import { fileNotFound } from '../serving/file-reply.ts'
import type { AvatarSize } from './avatar-rules.ts'

/**
 * Leads to somebody's picture. Only accounts look people up by their API e-mail: else anybody could find out which
 * addresses belong to one.
 */
const redirect = async (
  deps: Deps,
  caller: Caller,
  who: string,
  size: AvatarSize,
): Promise<StreamedReply> => {
  const isId = /^\d{1,15}$/.test(who)
  if (!isId && caller.user === null) throw fileNotFound()
  const { users } = await deps.ask(findUsers, {
    realm_id: caller.realm.id,
    ids: isId ? [Number(who)] : [],
    emails: isId ? [] : [who],
  })
  const user = users.find(({ id, email }) =>
    isId ? id === Number(who) : email.toLowerCase() === who.toLowerCase(),
  )
  if (user === undefined) throw fileNotFound()
  const headers = { location: avatarUrl(user, size), 'cache-control': 'private, max-age=60' }
  return new StreamedReply(302, headers, null)
}

export const getAvatar = endpoint(contract, ({ caller, deps, params }) =>
  redirect(deps, caller, params.who, 'small'),
)

export const getMediumAvatar = endpoint(mediumContract, ({ caller, deps, params }) =>
  redirect(deps, caller, params.who, 'medium'),
)
