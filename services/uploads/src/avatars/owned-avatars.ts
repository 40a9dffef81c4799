import { findUsers } from '@parley/contracts/identity/internals'
import type { Ask } from '@parley/kit'
import { avatarAt } from './avatar-rules.ts'

/** Those of some paths at which the avatar of an account stands that has uploaded one, as identity knows it. */
export const ownedAvatars = async (ask: Ask, paths: readonly string[]): Promise<string[]> => {
  const avatars = paths.flatMap((path) => {
    const [realm, file] = path.split('/')
    const avatar = avatarAt(file!)
    return avatar === undefined ? [] : [{ path, realm_id: Number(realm), user_id: avatar.userId }]
  })
  const owned: string[] = []
  for (const [realm_id, pictures] of Map.groupBy(avatars, (avatar) => avatar.realm_id)) {
    const ids = [...new Set(pictures.map(({ user_id }) => user_id))]
    const { users } = await ask(findUsers, { realm_id, ids, emails: [] })
    const having = new Set(users.filter((user) => user.avatar_source === 'U').map(({ id }) => id))
    for (const { path, user_id } of pictures) if (having.has(user_id)) owned.push(path)
  }
  return owned
}
