import { changeAvatar } from '@parley/contracts/identity/avatars'
import { deleteOwnAvatar as contract } from '@parley/contracts/uploads/avatars'
import { doubtPictures, hidePictures } from '../images/public-image-store.ts'
import { endpoint } from '../room.ts'
import { avatarPaths } from './avatar-pictures.ts'
import { demandAvatarChange } from './avatar-rules.ts'

export const deleteOwnAvatar = endpoint(contract, async ({ caller, deps, transaction }) => {
  const { realm, user } = caller
  demandAvatarChange(caller, await deps.realms.get(realm.id))
  const whose = { realm_id: realm.id, user_id: user.id }
  // Whatever happens to this process in between, the picture goes when identity says that it went.
  await transaction((tx) => doubtPictures(tx.sql, avatarPaths(whose)))
  const answer = await deps.ask(changeAvatar, { ...whose, is_uploaded: false })
  await transaction((tx) => hidePictures(tx.sql, avatarPaths(whose)))
  return answer
})
