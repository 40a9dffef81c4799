import { changeAvatar } from '@parley/contracts/identity/avatars'
import { deleteOwnAvatar as contract } from '@parley/contracts/uploads/avatars'
import { hidePictures } from '../images/public-image-store.ts'
import { endpoint } from '../room.ts'
import { avatarPath, demandAvatarChange } from './avatar-rules.ts'

export const deleteOwnAvatar = endpoint(contract, async ({ caller, deps, transaction }) => {
  const { realm, user } = caller
  demandAvatarChange(caller, await deps.realms.get(realm.id))
  const answer = await deps.ask(changeAvatar, { realm_id: realm.id, user_id: user.id, is_uploaded: false })
  const paths = (['small', 'medium'] as const).map((size) => avatarPath(realm.id, user.id, size))
  await transaction((tx) => hidePictures(tx.sql, paths))
  return answer
})
