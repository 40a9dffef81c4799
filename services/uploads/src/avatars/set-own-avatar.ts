import { changeAvatar } from '@parley/contracts/identity/avatars'
import { setOwnAvatar as contract } from '@parley/contracts/uploads/avatars'
import { keepPictures, showPictures } from '../images/public-image-store.ts'
import { sentImage } from '../images/sent-image.ts'
import { endpoint } from '../room.ts'
import { avatarPath, avatarPixels, demandAvatarChange } from './avatar-rules.ts'

const sizes = ['small', 'medium'] as const

export const setOwnAvatar = endpoint(contract, async ({ caller, deps, request, transaction }) => {
  const { realm, user } = caller
  demandAvatarChange(caller, await deps.realms.get(realm.id))
  const image = await sentImage(request, {
    mebibytes: deps.sizes.avatar,
    finding: 'You must upload exactly one avatar.',
  })
  const wishes = sizes.map((size) => {
    const pixels = avatarPixels[size]
    return { width: pixels, height: pixels, fit: 'cover', format: 'png', animated: false } as const
  })
  const { pictures } = await deps.workshop.draw(image, wishes)
  const kept = await keepPictures(
    deps,
    sizes.map((size, place) => ({
      path: avatarPath(realm.id, user.id, size),
      picture: pictures[place]!,
      type: 'image/png',
    })),
  )
  // First the picture, then its new version: whoever hears of the version finds the picture.
  await transaction((tx) => showPictures(tx.sql, kept))
  return deps.ask(changeAvatar, { realm_id: realm.id, user_id: user.id, is_uploaded: true })
})
