import { changeRealmPicture, type RealmPicture } from '@parley/contracts/identity/realm-pictures'
import { hidePictures, keepPictures, showPictures } from '../images/public-image-store.ts'
import type { Deps } from '../room.ts'
import { realmPicturePath, wishFor } from './realm-picture-rules.ts'

/** Shows another picture of an organization. First the picture, then its new address. @returns that. */
export const putPicture = async (
  deps: Deps,
  realm_id: number,
  picture: RealmPicture,
  image: Buffer,
): Promise<string> => {
  const { pictures } = await deps.workshop.draw(image, [wishFor(picture)])
  const path = realmPicturePath(realm_id, picture)
  const kept = await keepPictures(deps, [{ path, picture: pictures[0]!, type: 'image/png' }])
  await deps.database.transaction((tx) => showPictures(tx.sql, kept))
  return (await deps.ask(changeRealmPicture, { realm_id, picture, is_uploaded: true })).url
}

/** Goes back to the usual picture. @returns its address. */
export const takePicture = async (deps: Deps, realm_id: number, picture: RealmPicture): Promise<string> => {
  const { url } = await deps.ask(changeRealmPicture, { realm_id, picture, is_uploaded: false })
  await deps.database.transaction((tx) => hidePictures(tx.sql, [realmPicturePath(realm_id, picture)]))
  return url
}
