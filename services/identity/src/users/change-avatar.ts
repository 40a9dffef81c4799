import { changeAvatar as contract } from '@parley/contracts/identity/avatars'
import { AvatarSource, avatarUrl } from '@parley/contracts/objects/avatar'
import { type News, noting } from '../news.ts'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import { settingsInForce } from '../realms/settings-in-force.ts'
import { internal } from '../room.ts'
import { publishAccount } from './account-facts.ts'
import { announceUserForms } from './user-announcements.ts'
import { updateUser, userById } from './user-store.ts'

/** Whoever changed it by uploads meets it with their next request, as if they had changed it here. */
export const changeAvatar = internal(contract, async ({ input, deps, transaction, refuse }) => {
  const { realm_id, user_id, is_uploaded } = input
  const news: News[] = []
  const answer = await transaction(async (bare) => {
    const tx = noting(bare, news)
    await lockAccounts(tx.sql, realm_id)
    const realm = await realmById(tx.sql, realm_id)
    const before = await userById(tx.sql, realm_id, user_id)
    if (realm === undefined || !before?.is_active) throw refuse('BAD_REQUEST', 'No such user')
    if (!is_uploaded && before.avatar_source !== 'U') return { avatar_url: avatarUrl(before) }
    const user = await updateUser(tx.sql, realm_id, user_id, {
      avatar_source: is_uploaded ? 'U' : AvatarSource.parse(settingsInForce(realm).default_avatar_source),
      avatar_version: before.avatar_version + 1,
    })
    await publishAccount(tx, user)
    await announceUserForms(tx, before, user)
    return { avatar_url: avatarUrl(user) }
  })
  await deps.newsWait(realm_id, news)
  return answer
})
