import { changeAvatar } from '@parley/contracts/identity/avatars'
import { setOwnAvatar as contract } from '@parley/contracts/uploads/avatars'
import { sentImage } from '../images/sent-image.ts'
import { endpoint } from '../room.ts'
import { showStoredAvatar, storeAvatar } from './avatar-pictures.ts'
import { demandAvatarChange } from './avatar-rules.ts'

export const setOwnAvatar = endpoint(contract, async ({ caller, deps, request, transaction }) => {
  const { realm, user } = caller
  demandAvatarChange(caller, await deps.realms.get(realm.id))
  const image = await sentImage(request, {
    mebibytes: deps.sizes.avatar,
    finding: 'You must upload exactly one avatar.',
  })
  const stored = await storeAvatar(deps, image)
  const whose = { realm_id: realm.id, user_id: user.id }
  // First the picture, then its new version: whoever hears of the version finds the picture.
  await transaction((tx) => showStoredAvatar(tx.sql, whose, stored))
  return deps.ask(changeAvatar, { ...whose, is_uploaded: true })
})
